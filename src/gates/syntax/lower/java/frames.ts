import { classFrames } from '../brackets.ts';

const token =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.){1,9}'|[{}()[\]]|\n[ \t]*(?:case\b[^\n]*(?:->|:)|default\s*(?:->|:))/g;
/** What begins a member of a class. */
const MEMBER =
  /^\s*(?:(?:\/\*[\s\S]*?\*\/|\/\/[^\n]*)\s*)*(?:@\w|(?:public|private|protected|static|final|abstract|default|class|enum|record|interface)\b|\/\*)/;

/** Ways to make a hunk parse by itself. */
export const framesFor = classFrames({
  token,
  member: MEMBER,
  arrow: '->',
  textHead: 'String _ = """\n',
});
