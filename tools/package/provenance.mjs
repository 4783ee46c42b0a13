/**
 * What a release was made from, as an in-toto statement with the predicate of SLSA
 * (https://slsa.dev/spec/v1.0/provenance). `files` and `lock` have name and SHA-256. It names no
 * time of the build and no machine: the same source gives the same statement.
 */
export function provenance({ version, architecture, epoch, commit, lock, node, files }) {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map(digested),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:cra:npm-run-release:1',
        externalParameters: { version, architecture },
        internalParameters: { SOURCE_DATE_EPOCH: epoch },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: commit } },
          digested(lock),
          digested({ name: `node ${node.version}`, sha256: node.sha256 }),
        ],
      },
      runDetails: { builder: { id: 'urn:cra:tools/package.mjs' } },
    },
  };
}

function digested({ name, sha256 }) {
  return { name, digest: { sha256 } };
}
