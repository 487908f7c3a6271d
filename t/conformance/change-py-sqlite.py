# SPDX-License-Identifier: MIT
# A database in a served tree: locks, journal, growth.
import os, sqlite3
db = sqlite3.connect("data/some.db")
db.execute("create table t(x)")
db.executemany("insert into t values(?)", [(i,) for i in range(1000)])
db.commit()
print(sqlite3.connect("data/some.db").execute("select sum(x) from t").fetchall(), sorted(os.listdir("data"))[-3:])
db.execute("pragma journal_mode=wal")
db.execute("delete from t where x > 10"); db.commit()
print(sqlite3.connect("file:data/some.db?mode=ro", uri=True).execute("select count(*) from t").fetchall())
