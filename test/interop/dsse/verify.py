"""Verifies envelopes with securesystemslib and in-toto-attestation, as verify.go does.

Reads {"key": PEM, "keyid": ID, "envelopes": [...]} and prints for each envelope the type of its
predicate, or "refused: " and why.
"""

import json
import sys

from cryptography.hazmat.primitives.serialization import load_pem_public_key
from google.protobuf.json_format import Parse
from in_toto_attestation.predicates.vsa.v1 import vsa_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

VSA = "https://slsa.dev/verification_summary/v1"


def predicate_type(text, key):
    envelope = Envelope.from_dict(json.loads(text))
    envelope.verify([key], 1)
    statement = Statement.copy_from_pb(Parse(envelope.payload, statement_pb2.Statement()))
    statement.validate()
    if statement.pb.predicate_type == VSA:
        predicate = json.loads(envelope.payload)["predicate"]
        # A list by the specification of SLSA; the package takes it for one text.
        assert len(predicate.pop("verifiedLevels")) == 1
        Parse(json.dumps(predicate), vsa_pb2.VerificationSummary())
    return statement.pb.predicate_type


given = json.load(sys.stdin)
public = load_pem_public_key(given["key"].encode())
key = SSlibKey.from_crypto(public, keyid=given["keyid"])
for text in given["envelopes"]:
    try:
        print(predicate_type(text, key))
    except Exception as error:
        print("refused:", type(error).__name__)
