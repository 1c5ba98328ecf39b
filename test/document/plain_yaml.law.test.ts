import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatYaml } from '../../src/document/format_yaml.ts'
import { parseFully } from '../../src/document/parse_yaml.ts'
import { readPlainDocument, readPlainValue } from '../../src/document/plain/plain_yaml.ts'
import { isItems, isMembers, type Node, toValue } from '../../src/document/yaml_node.ts'
import { fixtures, listCases } from '../support/fixtures.ts'

const run = { seed: 20_240_601, numRuns: process.env.LANDFORM_SOAK ? 100_000 : 3000 }

/**
 * Positions of all parts, except the ends of blocks and the positions of empty values, on which the parsers may differ.
 */
function positionsOf(node: Node, text: string): unknown[] {
  if (node.start === node.end) return [node.keyStart, node.keyEnd]
  const isOneLine = !text.slice(node.start, node.end).includes('\n') && !/[|-]/.test(text[node.start] ?? '')
  const isBlock = (isMembers(node.content) || isItems(node.content)) && !/[[{]/.test(text[node.start] ?? '')
  const end = isOneLine && !isBlock ? node.end : 'a block'
  const position = [node.start, end, node.keyStart, node.keyEnd]
  if (isItems(node.content)) return [position, ...node.content.map((part) => positionsOf(part, text))]
  if (!isMembers(node.content)) return position
  return [position, ...[...node.content.values()].map((part) => positionsOf(part, text))]
}

/** Whatever the plain reader accepts, the full parser reads with the same values and positions. */
function expectAgreement(text: string): boolean {
  const plain = readPlainDocument(text)
  expect(JSON.stringify(readPlainValue(text)), text).toBe(plain && JSON.stringify(toValue(plain)))
  if (plain === undefined) return false
  const { documents, issues } = parseFully('f', text)
  expect(issues, text).toEqual([])
  const full = documents[0]?.root
  if (full === undefined || documents.length !== 1) throw new Error(`not one document: ${text}`)
  expect(JSON.stringify(toValue(plain)), text).toBe(JSON.stringify(toValue(full)))
  const isRootStart = full.start === plain.start
  expect(isRootStart, text).toBe(true)
  expect(positionsOf(plain, text), text).toEqual(positionsOf(full, text))
  return true
}

const pieces = fc.constantFrom(
  ...[
    'a',
    'b: ',
    'b:',
    'key',
    'two words',
    ': ',
    ':',
    '- ',
    '-',
    '  ',
    '    ',
    ' ',
    '\n',
    '\n',
    '\n  ',
    '\n    ',
  ],
  ...[
    '\n- ',
    '\n  - ',
    '# c',
    ' # c',
    '#',
    '{',
    '}',
    '[',
    ']',
    ', ',
    ',',
    '"',
    '"x"',
    "'",
    "''",
    '"a b"',
    '\\n',
  ],
  ...[
    '|',
    '|\n',
    '|-\n',
    '| \n',
    '>',
    '&a',
    '*a',
    '!t',
    '?',
    '? ',
    '%',
    '@',
    '`',
    '1',
    '-1',
    '1.5',
    '0x1F',
    '01',
  ],
  ...[
    '1e3',
    '.5',
    '5.',
    '.inf',
    '~',
    'null',
    'true',
    'yes',
    '<<',
    '<<: ',
    'é',
    '…',
    '\u00a0',
    '---',
    '\n---\n',
    '...',
  ],
  ...[
    '"1": ',
    "'a': ",
    'a.b-c: ',
    'http://x',
    'a:b',
    '${env.A}',
    '9007199254740993',
    '\r\n',
    '\t',
    'b: |\n    t\n',
  ],
)

const piecesText = fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(''))

const linesText = fc
  .array(
    fc.tuple(
      fc.constantFrom('', '  ', '    ', '      ', ' '),
      fc.constantFrom('a: ', 'b: ', 'c:', '"d": ', '- ', '- a: ', '', 'e f: ', '# x'),
      fc.constantFrom(
        ...[
          '',
          'x',
          '1',
          '"q"',
          "'it''s'",
          '{ a: 1, b: [x, "y"] }',
          '[]',
          '{}',
          '|',
          '|-',
          'true',
          'a: b',
          'x # y',
        ],
        ...[
          '[ -1, - ]',
          '{ a: , b }',
          '{"a": 1}',
          '-x',
          '"a\\tb"',
          '[a, ]',
          '{ a: x y , b: z }',
          'x:',
          '-',
          'a # b: c',
        ],
      ),
    ),
    { maxLength: 7 },
  )
  .map((rows) => rows.map((parts) => `${parts.join('')}\n`).join(''))

const name = fc.constantFrom('a', 'display_name', 'key-1', 'two words', '1', 'true')
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(fc.string({ maxLength: 8 }), fc.integer(), fc.boolean(), fc.constantFrom(null, 'a\nb\n', '')),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
}))

describe('the plain reader', () => {
  test('agrees with the full parser on any sequence of tokens, or declines it', () => {
    fc.assert(
      fc.property(piecesText, (text) => void expectAgreement(text)),
      run,
    )
  })

  test('agrees with the full parser on any sequence of lines, or declines it', () => {
    fc.assert(
      fc.property(linesText, (text) => void expectAgreement(text)),
      run,
    )
  })

  test('reads most of the output of formatYaml', () => {
    const map = fc.dictionary(name, value, { minKeys: 1 })
    let read = 0
    const law = fc.property(map, (value) => {
      if (expectAgreement(formatYaml(value))) read++
    })
    fc.assert(law, { ...run, numRuns: run.numRuns / 10 })
    expect(read).toBeGreaterThan(run.numRuns / 20)
  })

  test.each([...listCases('good'), ...listCases('bad')].filter(({ path }) => path.endsWith('.yaml')))(
    'agrees on fixture $path',
    ({ path }) => {
      expectAgreement(readFileSync(`${fixtures}/${path}`, 'utf8'))
    },
  )

  test('reads the example manifest', () => {
    expect(expectAgreement(readFileSync(`${fixtures}/../../manifests/world.yaml`, 'utf8'))).toBe(true)
  })
})
