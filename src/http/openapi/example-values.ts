/** What the examples share. */
export const RFC_ID = 'RFC-01A1FF8880DF85FB46C889901EC';
export const FINDING_ID = 'F-01A1FF8880DF85FB46C889901EC-1';
export const TASK_ID = 'T-b7699ef1-7084-411f-8957-e157c3f90b66';
export const COMMIT = '3f6f9de8b2c5a1d47e0c9a8b7d6e5f4031221345';

/** Head of `acme/checkout` in the examples of pushes: its one commit adds what DIFF adds. */
export const PUSHED_COMMIT = '5543d5221e12de6ff0beaf386bb30bd3b46a6362';

export const DIFF =
  'diff --git a/server/files.js b/server/files.js\nnew file mode 100644\n--- /dev/null\n+++ b/server/files.js\n@@ -0,0 +1,5 @@\n+import { exec } from "node:child_process";\n+\n+app.get("/list", (req, res) => {\n+  exec("ls " + req.query.dir, (error, out) => res.send(out));\n+});\n';

const FINDING = {
  id: 'vuln-01',
  finding_id: FINDING_ID,
  gate: 'ast',
  severity: 'critical',
  message:
    'a shell command in exec (line 4) is made from data from outside: req.query.dir (line 4)',
  file: 'server/files.js',
  line: 4,
  end_line: 4,
  column: 3,
  excerpt: 'exec("ls " + req.query.dir, (error, out) => res.send(out));',
  fingerprint: 'b7dede431d9541faab1cfa3017dc6fbde292dfa2f94da083ef1f70ce281d1ae0',
  cwe: 'CWE-78',
  fix: 'Call execFile or spawn with the program and an array of arguments, without a shell, and check the arguments against a list of allowed values.',
  suppressed: null,
  resolved: null,
} as const;

export const STATS = {
  files: 1,
  additions: 5,
  deletions: 0,
  bytes: 268,
} as const;

export const GATES = {
  risk: {
    status: 'pass',
    findings: [],
    suppressed_count: 0,
    skip_reason: null,
    duration_ms: 4.2,
  },
  ast: {
    status: 'fail',
    findings: [FINDING],
    suppressed_count: 0,
    skip_reason: null,
    duration_ms: 4.2,
  },
  llm: {
    status: 'skipped',
    findings: [],
    suppressed_count: 0,
    skip_reason: 'no_tier',
    duration_ms: null,
  },
} as const;
