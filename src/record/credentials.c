/* SPDX-License-Identifier: MIT */
/* credentials.c - where users keep passwords and keys.
 *
 * The list holds whole names, which may stand anywhere in a path; a slash at the end means a
 * directory and everything below it. loadcast-record(1) has the same list (attack/secrets compares
 * both). */
#include "record/credentials.h"

#include <stddef.h>
#include <string.h>

static const char *const places[] = {
    ".ssh/",
    ".gnupg/",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh/hosts.yml",
    ".config/gcloud/",
    ".config/rclone/rclone.conf",
    ".aws/",
    ".azure/",
    ".boto",
    ".s3cfg",
    ".docker/config.json",
    ".singularity/docker-config.json",
    ".apptainer/docker-config.json",
    ".singularity/remote.yaml",
    ".apptainer/remote.yaml",
    ".kube/",
    ".globus/",
    ".globusonline/",
    ".vault-token",
    ".terraform.d/credentials.tfrc.json",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".pypirc",
    ".npmrc",
    ".huggingface/token",
    ".kaggle/kaggle.json",
    ".password-store/",
    ".local/share/keyrings/",
    ".smbcredentials",
    ".Xauthority",
    ".ICEauthority",
    "munge.key",
};

static bool matches_place(const char *rest, const char *place)
{
    size_t n = strlen(place);

    if (place[n - 1] != '/')
        return strcmp(rest, place) == 0;
    return strncmp(rest, place, n - 1) == 0 && (rest[n - 1] == '/' || rest[n - 1] == '\0');
}

bool lc_credential_is_place(const char *path)
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
        for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
            if (matches_place(slash + 1, places[i]))
                return true;
    return false;
}

bool lc_credential_is_likely(const char *path)
{
    static const char end[] = ".keytab";
    size_t n = strlen(path), m = sizeof(end) - 1;

    return n > m && strcmp(path + n - m, end) == 0;
}
