import { faultAt, listNodes, type Node, type Source } from './source.ts'
import type { TextFile } from './tracked.ts'

/** Words and phrases that texts for users avoid, as regular expressions, and their replacements. */
const words: readonly (readonly [source: string, replacement: string])[] = [
  ['pictures?', 'raster or image'],
  ['shapes?', 'geometry'],
  ['a text|(?<!help )texts', 'string'],
  ['moments?', 'timestamp'],
  ['mend(s|ed|ing)?', 'repair'],
  ['(is|are|was|were|be) told|as told|tells? of', 'reported'],
  ['sister \\w+', 'NextGIS dialect'],
  ['recipes?|ingredients?', 'export options'],
  ['misfits?', 'unsupported geometry'],
  ['blot(s|ted)?', 'redact'],
  ['sweep(s|ing)?', 'garbage collection'],
  ['speech', 'dialect'],
  ['askers?|(the one )?who asks|who may ask|may ask', 'caller'],
  ['steadi?ly', 'retry on schema change'],
  ['comes? and goe?s?', 'is created and deleted'],
  ['came and went|come in', 'are created and deleted, sign in'],
  ['strangers?|witness(es)?|twins?', 'say what it is'],
  ['nobody|somebody|whoever', 'name the user, the caller or the program'],
  ['what(ever)? there is|that there (is|are)( none)?|there (is|are) none', 'say the noun'],
  ['what is kept|everything that is kept', 'data'],
  ['what nobody \\w+', 'say the noun'],
  ['(?<!there )(is|are) no (?!longer\\b)\\w+', 'is not a …'],
  ['(is|are) none', 'does not exist, is null'],
  ['(is|are) to be', 'must be, is'],
  ['takes? along|taken? along|take \\w+ along', 'also delete'],
  ['if it is meant|is meant', 'intended'],
  ['anew', 'again'],
  ['is believed|are believed', 'trusted'],
  ['at the wish', 'on request of'],
  ['oneself', 'the caller'],
  ['breaks? off', 'is truncated, stop'],
  ['all the same', 'anyway'],
]

const banned = words.map(([source, replacement]) => ({
  pattern: new RegExp(`(?<![\\w-])(?:${source})(?![\\w-])`, 'gi'),
  replacement,
}))

/** Finds banned words in prose. */
export function checkProse(file: Pick<TextFile, 'path' | 'text'>): string[] {
  return banned.flatMap(({ pattern, replacement }) =>
    [...file.text.matchAll(pattern)].map((match) =>
      faultAt(file, match.index, `has "${match[0]}": write ${replacement}`),
    ),
  )
}

/** Finds banned words in Markdown, except in code. */
export function checkMarkdown({ path, text }: TextFile): string[] {
  const prose = text
    .replaceAll(/^```.*?^```/gms, blank)
    .replaceAll(/<!--.*?-->/gs, blank)
    .replaceAll(/`[^`\n]*`/g, blank)
    .replaceAll(/\]\([^)]*\)/g, blank)
  return checkProse({ path, text: prose })
}

/** Keeps the lines of a text, and nothing else. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ')
}

/** Finds banned words in the strings of a source file that are sentences or phrases. */
export function checkStrings(source: Source): string[] {
  return listNodes(source).flatMap((node) => {
    const text = stringOf(node)
    if (text === undefined || !/[a-z] [a-z]/i.test(text)) return []
    return checkProse({ path: source.path, text }).map((fault) =>
      faultAt(source, node.start, fault.slice(fault.indexOf(' ') + 1)),
    )
  })
}

function stringOf(node: Node): string | undefined {
  if (node.type === 'TemplateElement') return node.value.raw
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}
