import { createHash } from 'node:crypto';

/**
 * The parts of a package as CycloneDX 1.6 in JSON (https://cyclonedx.org/docs/1.6/json/): Node, the
 * packages of node_modules and those in the pages, with licences and checksums of their archives.
 * `modules` and `pages` are in the form of `copyModules`; `node` has its version and SHA-256.
 */
export function billOfMaterials({ version, date, modules, pages, node }) {
  const self = `pkg:generic/cra@${encodeURIComponent(version)}`;
  const nodeRef = `pkg:generic/node@${node.version}`;
  const all = [...modules, ...pages];
  const refs = new Map(all.map((module) => [module.path, refOf(module)]));
  const refsOf = (paths) => [...new Set(paths.map((path) => refs.get(path)))].sort();
  const body = {
    metadata: {
      timestamp: date.toISOString(),
      component: {
        type: 'application',
        'bom-ref': self,
        name: 'cra',
        version,
        licenses: [{ license: { name: 'UNLICENSED' } }],
      },
    },
    components: [
      {
        type: 'platform',
        'bom-ref': nodeRef,
        name: 'node',
        version: node.version,
        purl: nodeRef,
        hashes: [{ alg: 'SHA-256', content: node.sha256 }],
        licenses: [{ license: { id: 'MIT' } }],
      },
      ...distinct(all).map(component),
    ],
    dependencies: [
      { ref: self, dependsOn: [nodeRef, ...refsOf([...refs.keys()])] },
      ...distinct(all).map((module) => {
        const ref = refOf(module);
        const same = all.filter((other) => refOf(other) === ref);
        return { ref, dependsOn: refsOf(same.flatMap(({ needs }) => needs)) };
      }),
    ],
  };
  // Of the content, so that the same package has the same number.
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const serialNumber = `urn:uuid:${digest.replace(
    /^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/,
    '$1-$2-8$3-8$4-$5',
  )}`;
  return { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber, version: 1, ...body };
}

/** A package may lie in the tree twice. */
function distinct(modules) {
  return [...new Map(modules.map((module) => [refOf(module), module])).values()];
}

/** A package URL: https://github.com/package-url/purl-spec */
function refOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function component(module) {
  const { name, version, license, integrity } = module;
  const [algorithm, base64] = integrity.split('-');
  return {
    type: 'library',
    'bom-ref': refOf(module),
    name,
    version,
    purl: refOf(module),
    hashes: [
      {
        alg: algorithm.replace('sha', 'SHA-'),
        content: Buffer.from(base64, 'base64').toString('hex'),
      },
    ],
    ...(license === null ? {} : { licenses: [licenceOf(license)] }),
  };
}

function licenceOf(license) {
  return / (?:AND|OR) /.test(license) ? { expression: license } : { license: { id: license } };
}
