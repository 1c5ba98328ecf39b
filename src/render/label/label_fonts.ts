import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A family of fonts: files by weight and slant, or one file with all weights. */
export interface FontFamily {
  /** Name under which the files are registered; no font of the system has it. */
  readonly name: string
  readonly files: readonly string[]
}

const { resolve } = createRequire(import.meta.url)

/** Families of `dejavu-fonts-ttf` for Latin, Greek, Cyrillic and many symbols, by the beginnings of their file names. */
const basicFamilies = {
  sans: ['DejaVuSans', '-Bold', '-Oblique', '-BoldOblique'],
  condensed: ['DejaVuSansCondensed', '-Bold', '-Oblique', '-BoldOblique'],
  mono: ['DejaVuSansMono', '-Bold', '-Oblique', '-BoldOblique'],
  serif: ['DejaVuSerif', '-Bold', '-Italic', '-BoldItalic'],
} as const

/** Name of a family for Latin, Greek and Cyrillic. */
export type BasicFamily = keyof typeof basicFamilies

/** Packages of Noto fonts for other scripts; the first that has a letter is used. */
const scriptPackages = [
  ...[
    'arabic',
    'hebrew',
    'devanagari',
    'bengali',
    'gurmukhi',
    'gujarati',
    'tamil',
    'telugu',
    'kannada',
    'malayalam',
    'sinhala',
    'thai',
    'lao',
    'khmer',
    'ethiopic',
    'sc',
    'kr',
  ].map((script) => ({ name: `@fontsource-variable/noto-sans-${script}`, suffixes: ['wght-normal'] })),
  { name: '@fontsource/noto-sans-myanmar', suffixes: ['400-normal', '700-normal'] },
]

/** Finds the basic family that is most similar to a font, by the words of its name. */
export function basicFamilyOf(family: string): BasicFamily {
  if (/mono|courier|consol|typewriter|fixed/i.test(family)) return 'mono'
  if (/condensed|narrow/i.test(family)) return 'condensed'
  const isSerif =
    /(^|[^s-])serif|times|georgia|garamond|bookman|palatino|roman|antiqua|cambria|century|slab|minion/i
  return isSerif.test(family.replace(/sans[\s-]?serif/gi, '')) ? 'serif' : 'sans'
}

/** Returns the files of a basic family. */
export function basicFontFamily(family: BasicFamily): FontFamily {
  const folder = join(dirname(resolve('dejavu-fonts-ttf/package.json')), 'ttf')
  const [stem, ...styles] = basicFamilies[family]
  return {
    name: `landform-${family}`,
    files: ['', ...styles].map((style) => join(folder, `${stem}${style}.ttf`)),
  }
}

/** Letters below are those of the basic families. */
const firstScriptLetter = 0x590

/** Punctuation and symbols, which the basic families have. */
const symbols = { first: 0x2000, last: 0x2bff } as const

/** Characters among those of the basic families that these lack, such as ⑪. */
const lacking = /\u02eb|\u20dd|\u20f0|[\u2312\u246a-\u24ff\u26bd\u26be\u2934\u2935]/

/** Lists the families that a text needs in addition to a basic one. */
export function scriptFamilies(text: string): readonly FontFamily[] {
  const found = new Set<FontFamily>()
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0
    const isBasic = code < firstScriptLetter || (code >= symbols.first && code <= symbols.last)
    if (isBasic && !lacking.test(letter)) continue
    for (const family of familiesOfLetter(letter, code)) found.add(family)
  }
  return [...found]
}

/**
 * Korean letters, and characters that equal others: the font for Chinese states some of both as its own, for pages that
 * mix languages, but has not all of them. So does that for Devanagari with a sign of Bengali.
 */
const shared = /[\p{Script=Hangul}\uf900-\ufaff\u1cf7]/u

const letters = new Map<number, readonly FontFamily[]>()

/** Lists the families to look for a letter in: the first that states it, and the others where that is not certain. */
function familiesOfLetter(letter: string, code: number): readonly FontFamily[] {
  const known = letters.get(code)
  if (known !== undefined) return known
  const stating = listScriptFamilies()
    .filter(({ ranges }) => ranges.some(([first, last]) => code >= first && code <= last))
    .map(({ family }) => family)
  const found = shared.test(letter) ? stating : stating.slice(0, 1)
  letters.set(code, found)
  return found
}

interface ScriptFamily {
  readonly family: FontFamily
  /** First and last code points. */
  readonly ranges: readonly (readonly [number, number])[]
}

let scripts: readonly ScriptFamily[] | undefined

function listScriptFamilies(): readonly ScriptFamily[] {
  scripts ??= scriptPackages.flatMap(readPackage)
  return scripts
}

/** Reads which letters each font of a package has. A package that is not installed has none. */
function readPackage({ name, suffixes }: (typeof scriptPackages)[number]): ScriptFamily[] {
  let path: string
  try {
    path = resolve(`${name}/unicode.json`)
  } catch {
    return []
  }
  const stem = name.slice(name.indexOf('/') + 1)
  const subsets = Object.entries<string>(JSON.parse(readFileSync(path, 'utf8')))
  return subsets
    .filter(([subset]) => !/^(latin|cyrillic|greek|vietnamese|symbols|math)/.test(subset))
    .map(([subset, ranges]) => {
      const part = subset.replace(/[[\]]/g, '')
      const files = suffixes.map((suffix) => join(dirname(path), 'files', `${stem}-${part}-${suffix}.woff2`))
      return { family: { name: `landform-${stem}-${part}`, files }, ranges: parseRanges(ranges) }
    })
}

/** Parses ranges of CSS such as `U+0E01-0E5B,U+25CC`. */
function parseRanges(text: string): [number, number][] {
  return text.split(',').map((range) => {
    const [first = '', last = first] = range.trim().slice(2).split('-')
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)]
  })
}
