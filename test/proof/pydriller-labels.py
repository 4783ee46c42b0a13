"""Reverts among commits, read with PyDriller: `pydriller-labels.py REPOSITORY < IDS`.

IDS has a commit a line, the newest first, and whether its patch can be read: `whole`, else
`message`. Writes a JSON list of [reverted, reverting, how].
"""

import json
import re
import sys

from pydriller import Git, ModificationType

NAMED = re.compile(r"\bthis reverts commits? ([0-9a-f]{7,64})\b", re.IGNORECASE)


def sides(diff):
    """The old and the new text of each hunk, without its line numbers."""
    hunks = []
    for line in diff.splitlines(keepends=True):
        if line.startswith("@@"):
            hunks.append(([], []))
        elif hunks:
            old, new = hunks[-1]
            if line[0] in " -":
                old.append(line[1:])
            if line[0] in " +":
                new.append(line[1:])
            if line[0] == "\\":
                old.append(line)
                new.append(line)
    return [("".join(old), "".join(new)) for old, new in hunks]


def patch(commit):
    """A patch and its inverse; None where a file has no text that says what changed."""
    own = []
    for file in commit.modified_files:
        if not file.diff and file.change_type is not ModificationType.RENAME:
            return None
        own.append((file.old_path, file.new_path, sides(file.diff)))
    if not own:
        return None
    inverse = [(new, old, [(b, a) for a, b in hunks]) for old, new, hunks in own]
    return repr(sorted(own, key=repr)), repr(sorted(inverse, key=repr))


def labels(path, lines):
    git = Git(path)
    ids = [sha for sha, _ in lines]
    whole = {sha for sha, what in lines if what == "whole"}
    place = {sha: index for index, sha in enumerate(ids)}
    found = {}
    newest = {}
    for by in reversed(ids):
        commit = git.get_commit(by)
        for part in NAMED.findall(commit.msg):
            named = [sha for sha in ids if sha.startswith(part.lower())]
            if len(named) == 1 and place[named[0]] > place[by]:
                found[(named[0], by)] = "message"
        pair = patch(commit) if by in whole and not commit.merge else None
        if pair is None:
            continue
        sha = newest.get(pair[1])
        if sha is not None:
            found.setdefault((sha, by), "patch")
        newest[pair[0]] = by
    return [[sha, by, how] for (sha, by), how in found.items()]


json.dump(labels(sys.argv[1], [line.split() for line in sys.stdin]), sys.stdout)
