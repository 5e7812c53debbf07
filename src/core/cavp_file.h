#pragma once

#include <string>
#include <vector>

#include "core/case.h"
#include "core/result.h"
#include "core/text_file.h"

namespace aesgate {

/// The Cases of a response file of NIST's CAVP (AESAVS, appendix B), in its order; at least one.
///
/// `file_name`, without folders, gives the mode and the key size: "CFB8VarTxt192.rsp". The file holds comments ("#"),
/// the sections [ENCRYPT] and [DECRYPT], and in them vectors that begin with COUNT, from 0 on in each section, and have
/// each of KEY, IV (not in ECB), PLAINTEXT and CIPHERTEXT once, in any order. Values are hexadecimal; in CFB1 the texts
/// are strings of the digits 0 and 1, a bit each. Each Case is one call of the whole message, with `expected` and with
/// an origin that names the line of its COUNT: "CBCMMT128.rsp:14 ENCRYPT COUNT=3".
///
/// The comment "# Vectors: N", which the files in kat/vectors have at their head, says how many there are; a file with
/// fewer or more was cut or damaged, and is an Error.
///
/// Whatever else the file holds is an Error "FILE:LINE: FIELD: what", and so is a file without a vector: nothing is
/// skipped. Lines are those of `reader`, whose name stands for the file in errors.
[[nodiscard]] Result<std::vector<Case>> parse_cavp(TextReader& reader, const std::string& file_name);

}  // namespace aesgate
