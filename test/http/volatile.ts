/** What differs from run to run, and what stands for it. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/RFC-[0-9A-F]{27}/g, 'RFC-0'],
  [/F-[0-9A-F]{27}-/g, 'F-0-'],
  [/\b(F-0-P|C-)[0-9a-f]{16}/g, '$1ID'],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, 'TIME'],
  [/\d{4}-\d\d-\d\d(?!T)/g, 'DATE'],
  [/\d{8}T\d{6}Z-[0-9a-f]{16}/g, 'CHAIN'],
  [/[0-9a-f]{64}/g, 'HASH'],
  // In the text of an error the quotes are escaped.
  [/(\\?")(\d+-)?[0-9a-f]{16}\1/g, '$1$2REVISION$1'],
  [/-token:[0-9a-f]{8}/g, '-token:LABEL'],
  [/"next_cursor": ?"[^"]*"/g, '"next_cursor":"CURSOR"'],
  [/"request_id": ?"[^"]*"/g, '"request_id":"ID"'],
  [
    /"(duration_ms|seq|bytes|busy|running|threads|alive|children|lag_ms|waiting|rev)": ?[\d.]+/g,
    '"$1":0',
  ],
  [/"last_checkpoint": ?\{[^}]*\}/g, '"last_checkpoint":null'],
  [/"version": ?"\d+\.\d+\.\d+"/g, '"version":"0.0.0"'],
  // What the model of the score makes of it is held elsewhere.
  [/"(risk_score|riskScore|change_risk|findings_risk)": ?\d+/g, '"$1":0'],
  [/"factors": ?\[[^\]]*\]/g, '"factors":[]'],
  [/https?:\/\/[^/"]+\/cra(?=[#/])/g, 'BASE/cra'],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'BASE'],
];

/** Text in which all that differs from run to run is the same. */
export function settle(text: string): string {
  return VOLATILE.reduce((settled, [pattern, word]) => settled.replace(pattern, word), text);
}

/** The same for a value, as JSON. */
export function settled(value: unknown): unknown {
  return JSON.parse(settle(JSON.stringify(value)));
}
