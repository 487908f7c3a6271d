# SPDX-License-Identifier: MIT
# How programs that embed this interpreter are compiled and linked, one word per line: I before a word for the
# compiler, L for the linker, and S 1 if libpython is an archive. Only the interpreter knows its library.
import os
import sysconfig


def variable(name):
    return sysconfig.get_config_var(name) or ''


directory = variable('LIBDIR')
shared = variable('LDLIBRARY').endswith('.so') and os.path.exists(directory + '/' + variable('LDLIBRARY'))
print('I', '-I' + sysconfig.get_path('include'))
print('I', '-I' + sysconfig.get_path('platinclude'))
print('L', '-L' + (directory if shared else variable('LIBPL')))
print('L', '-lpython' + (variable('LDVERSION') or variable('VERSION')))
for word in (variable('LIBS') + ' ' + variable('SYSLIBS')).split():
    print('L', word)
usual = ('/usr/lib', '/lib', '/usr/lib64', '/lib64', '/usr/lib/' + variable('MULTIARCH'))
if shared and directory not in usual:
    print('L', '-Wl,-rpath,' + directory)
print('S', 0 if shared else 1)
