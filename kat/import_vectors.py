#!/usr/bin/env python3
"""Makes kat/vectors/ from NIST's CAVP response files as Debian's python3-cryptography-vectors installs them.

Usage: import_vectors.py [--check] [--from FOLDER] [--to FOLDER]

  --from FOLDER  the folder that holds ECB/, CBC/, CFB/ and OFB/; without it, the one that `dpkg -L` names
  --to FOLDER    where the files go; without it, vectors/ beside this program
  --check        write nothing; fail if what is in the folder differs, by a byte or by a file

The values are kept to the digit, in their order; comment lines at the head of a file are replaced by our own. The
result depends on nothing but the values. Exit status: 0 done or equal; 1 different; 2 bad usage or input; 3 the
package is not installed.
"""

import argparse
import hashlib
import re
import subprocess
import sys
from pathlib import Path

PACKAGE = "python3-cryptography-vectors"
FOLDER_OF_MODE = {"ECB": "ECB", "CBC": "CBC", "CFB1": "CFB", "CFB8": "CFB", "CFB128": "CFB", "OFB": "OFB"}
TESTS = {
    "GFSbox": "plaintexts that reach every value of the S-box through GF(2^8)",
    "KeySbox": "keys that reach every value of the S-box through the key schedule",
    "VarKey": "keys of ones followed by zeros",
    "VarTxt": "blocks of ones followed by zeros",
    "MMT": "multi-block messages",
}
KEY_BITS = (128, 192, 256)
CHECKSUMS = "SHA256SUMS"

# What the package's files hold, so that a changed package is seen before its values get in.
EXPECTED_FILES = 90
EXPECTED_VECTORS = 12828

LINE = re.compile(r"\[(ENCRYPT|DECRYPT)\]|COUNT = [0-9]+|(KEY|IV|PLAINTEXT|CIPHERTEXT) = [0-9a-f]+|")


class BadInput(Exception):
    """One line: what is wrong, and where."""


class NotInstalled(Exception):
    """One line: what to install."""


def file_names():
    """Every (mode, test, key size) as (mode, name of the file), in the order of the checksum list."""
    names = [(mode, test, f"{mode}{test}{bits}.rsp") for mode in FOLDER_OF_MODE for test in TESTS for bits in KEY_BITS]
    return sorted(names, key=lambda entry: entry[2])


def folder_of_package():
    """The folder of the AES vectors that the package installed."""
    try:
        listing = subprocess.run(["dpkg", "-L", PACKAGE], check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        raise NotInstalled(f"{PACKAGE} is not installed: apt-get install {PACKAGE}, or name a folder with --from")
    for line in listing.splitlines():
        if line.endswith("/AES/ECB/ECBMMT128.rsp"):
            return Path(line).parent.parent
    raise BadInput(f"{PACKAGE} has no file AES/ECB/ECBMMT128.rsp; name the folder with --from")


def header(mode, test, name, vectors):
    bits = name[len(mode) + len(test) : -len(".rsp")]
    data = "bits" if mode == "CFB1" else "hexadecimal"
    return (
        f"# AES-{bits} in {mode}, {test}: {TESTS[test]}.\n"
        f"# Known answers of NIST's Cryptographic Algorithm Validation Program (AESAVS); public domain.\n"
        f"# Taken, value for value, from Debian's {PACKAGE} by kat/import_vectors.py.\n"
        f"# [ENCRYPT] or [DECRYPT], then vectors: COUNT, KEY and IV (not in ECB), PLAINTEXT and CIPHERTEXT in {data}.\n"
        f"# Vectors: {vectors}\n"
        "\n"
    )


def imported(source, mode, test, name):
    """The bytes of our file, and how many vectors are in it."""
    path = source / FOLDER_OF_MODE[mode] / name
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(f"{path}: {problem}")
    values = [line for line in lines if not line.startswith("#")]
    for number, line in enumerate(lines, 1):
        if not line.startswith("#") and not LINE.fullmatch(line):
            raise BadInput(f"{path}:{number}: neither a section, a field of a vector nor blank: {line[:40]!r}")
    body = "\n".join(values).strip("\n") + "\n"
    vectors = sum(line.startswith("COUNT") for line in values)
    return (header(mode, test, name, vectors) + body).encode("ascii"), vectors


def import_all(source):
    """{name: bytes} of all that belongs in the folder."""
    files, vectors = {}, 0
    for mode, test, name in file_names():
        files[name], count = imported(source, mode, test, name)
        vectors += count
    if (len(files), vectors) != (EXPECTED_FILES, EXPECTED_VECTORS):
        raise BadInput(f"{source}: {len(files)} files with {vectors} vectors, "
                       f"not {EXPECTED_FILES} with {EXPECTED_VECTORS}")
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items())
    return files | {CHECKSUMS: sums.encode("ascii")}


def differences(files, target):
    """One line for each file that is missing, extra or different in `target`."""
    present = {path.name for path in target.iterdir()} if target.is_dir() else set()
    lines = [f"{target / name}: missing" for name in sorted(files.keys() - present)]
    lines += [f"{target / name}: does not belong here" for name in sorted(present - files.keys())]
    for name in sorted(files.keys() & present):
        found = (target / name).read_bytes()
        if found != files[name]:
            same = next((i for i, (a, b) in enumerate(zip(found, files[name])) if a != b),
                        min(len(found), len(files[name])))
            lines.append(f"{target / name}:{files[name][:same].count(10) + 1}: differs from what the package gives")
    return lines


def main():
    parser = argparse.ArgumentParser(description="Imports NIST's AES vectors from " + PACKAGE)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the folder differs")
    parser.add_argument("--from", dest="source", type=Path, metavar="FOLDER", help="the folder that holds ECB/, CBC/ …")
    parser.add_argument("--to", dest="target", type=Path, metavar="FOLDER", default=Path(__file__).parent / "vectors")
    arguments = parser.parse_args()
    files = import_all(arguments.source or folder_of_package())
    if arguments.check:
        lines = differences(files, arguments.target)
        print("\n".join(lines) or f"{len(files)} files are what {PACKAGE} gives")
        return 1 if lines else 0
    arguments.target.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (arguments.target / name).write_bytes(content)
    print(f"{len(files)} files written to {arguments.target}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except NotInstalled as problem:
        print(f"import_vectors.py: {problem}")
        sys.exit(3)
    except (BadInput, OSError) as problem:
        print(f"import_vectors.py: {problem}", file=sys.stderr)
        sys.exit(2)
