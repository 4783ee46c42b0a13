import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fake } from '../../src/rules/fake.ts';
import { runGit } from '../run-git.ts';

export const WEBHOOK_SECRET = fake('webhook-', 40);

const FILE = `import { exec } from "node:child_process";

app.get("/list", (req, res) => {
  exec("ls " + req.query.dir, (error, out) => res.send(out));
});
`;

/** What git needs to make the same commits wherever and whenever it runs. */
const GIT_ENV = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_AUTHOR_DATE: '2026-11-21T12:00:00Z',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
  GIT_COMMITTER_DATE: '2026-11-21T12:00:00Z',
};

/**
 * Makes the repository of the examples, `acme/checkout`, as a host in a folder; answers the
 * settings of a daemon that takes its webhooks.
 */
export function makeCheckout(directory: string): Record<string, string> {
  const repository = join(directory, 'hub', 'acme', 'checkout.git');
  mkdirSync(repository, { recursive: true });
  const git = (args: string[], input = '') =>
    runGit(['-C', repository, ...args], { env: GIT_ENV, input })
      .toString()
      .trim();
  git(['init', '-q', '--bare', '-b', 'main']);
  const blob = git(['hash-object', '-w', '--stdin'], FILE);
  const folder = git(['mktree'], `100644 blob ${blob}\tfiles.js\n`);
  const tree = git(['mktree'], `040000 tree ${folder}\tserver\n`);
  const commit = git(['commit-tree', tree], 'List a directory\n');
  git(['update-ref', 'refs/heads/main', commit]);
  const config = join(directory, 'vcs.json');
  const host = { id: 'hub', provider: 'github', url: `file://${join(directory, 'hub')}` };
  writeFileSync(config, JSON.stringify({ hosts: [host] }));
  return { SERVICE_VCS_CONFIG: config, CRA_WEBHOOK_SECRET: WEBHOOK_SECRET };
}
