import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileExpression } from '../../../src/style/expression/expression_evaluate.ts'
import { formatExpression } from '../../../src/style/expression/expression_format.ts'
import { parseExpression } from '../../../src/style/expression/expression_parse.ts'
import { ExpressionFault } from '../../../src/style/expression/expression_tokens.ts'
import { compileLinearPattern } from '../../../src/style/expression/linear_pattern.ts'

const runs = { seed: 20260715, numRuns: process.env.LANDFORM_SOAK ? 5000 : 300 }

const attributes = fc.dictionary(
  fc.constantFrom('n', 's', 'N', '__proto__'),
  fc.oneof(
    fc.constant(null),
    fc.double(),
    fc.string(),
    fc.boolean(),
    fc.constant('2012-05-12'),
    fc.constant({}),
  ),
)

const words = fc.constantFrom(
  ...[
    'n',
    '"s"',
    "'a'",
    "'%'",
    '1',
    '2.5',
    '1e300',
    'NULL',
    'true',
    '$id',
    '@map_scale',
    '(',
    ')',
    ',',
    '+',
    '-',
    '*',
  ],
  ...[
    '/',
    '//',
    '%',
    '^',
    '||',
    '=',
    '<>',
    '<',
    '>=',
    'AND',
    'OR',
    'NOT',
    'IS',
    'IN (',
    'LIKE',
    'ILIKE',
    '~',
    'BETWEEN',
  ],
  ...[
    'CASE WHEN',
    'THEN',
    'ELSE',
    'END',
    'coalesce(',
    'replace(',
    'lpad(',
    'round(',
    'substr(',
    'to_int(',
    'year(',
  ],
  ...[
    'scale_exp(',
    'regexp_match(',
    'concat(',
    'represent_value(',
    'min(',
    'if(',
    'foo(',
    "'",
    '"',
    '--',
    '/*',
    '\\',
    'é',
    '\u0000',
  ],
)

/** Text that is often an expression. */
const expressionText = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('n', '"s"', "'a'", "'(a+)+$'", '-1', '1e300', 'NULL', 'true', '$id', '@map_scale'),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('+', '/', '%', '^', '||', '=', '<', 'AND', 'OR', 'IS', 'LIKE', '~'),
        tie('expression'),
      )
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc
      .tuple(
        fc.constantFrom(
          'coalesce',
          'concat',
          'max',
          'replace',
          'lpad',
          'substr',
          'round',
          'regexp_match',
          'clamp',
          'if',
          'year',
        ),
        fc.array(tie('expression'), { minLength: 1, maxLength: 3 }),
      )
      .map(([name, operands]) => `${name}(${operands.join(', ')})`),
    tie('expression').map((operand) => `NOT ${operand} IN (${operand}, 1)`),
    tie('expression').map((operand) => `CASE WHEN ${operand} THEN 1 ELSE ${operand} END`),
  ),
})).expression

/** Operators whose precedence decides, and texts and names with quotes. */
const unparenthesized = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.constantFrom('', '-', 'NOT ', '- -', '(', '-('),
        fc.constantFrom(
          'a',
          '"b""c"',
          "'it''s \\\\ \\n'",
          '2',
          '$id',
          '@map_scale',
          "a IN ('x', 1)",
          'a NOT BETWEEN 1 AND 2',
        ),
        fc.constantFrom(
          ...['+', '-', '*', '/', '//', '%', '^', '||', '=', '<>', '>', 'AND', 'OR'],
          ...['IS', 'IS NOT', 'NOT LIKE', 'ILIKE', '~'],
        ),
      ),
      { minLength: 1, maxLength: 6 },
    ),
    fc.constantFrom('c', '1'),
  )
  .map(([parts, last]) => {
    const open = parts.reduce((sum, [before]) => sum + (before.includes('(') ? 1 : 0), 0)
    return `${parts.map((part) => part.join(' ')).join(' ')} ${last}${')'.repeat(open)}`
  })

test('a text is an expression that has a value, or is refused with a position', () => {
  const texts = fc.oneof(
    expressionText,
    fc.array(words, { maxLength: 12 }).map((parts) => parts.join(' ')),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(texts, attributes, (text, values) => {
      try {
        const value = compileExpression(parseExpression(text))({ attributes: values, id: 1 })
        expect(value === null || ['string', 'number', 'boolean'].includes(typeof value)).toBe(true)
      } catch (error) {
        expect(error).toBeInstanceOf(ExpressionFault)
        const { offset } = error as ExpressionFault
        expect(offset >= 0 && offset <= text.length).toBe(true)
      }
    }),
    runs,
  )
})

test('a formatted expression parses to an equal expression', () => {
  fc.assert(
    fc.property(fc.oneof(expressionText, unparenthesized), (text) => {
      const expression = findExpression(text)
      if (expression === undefined) return
      expect(parseExpression(formatExpression(expression))).toEqual(expression)
    }),
    runs,
  )
})

function findExpression(text: string) {
  try {
    return parseExpression(text)
  } catch {
    return undefined
  }
}

test('a regular expression finds the same position as that of JavaScript', () => {
  const pattern = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\b', '^', '$', ''),
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => one + other),
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(${one}|${other})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{0,2}'))
        .map(([one, times]) => `(?:${one})${times}`),
    ),
  })).pattern
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '\n', 'A'), maxLength: 8 })
  fc.assert(
    fc.property(pattern, text, fc.boolean(), (source, value, ignoresCase) => {
      const found = compileLinearPattern(source, { ignoresCase })
      expect(found?.(value)).toBe(value.search(new RegExp(source, ignoresCase ? 'i' : '')))
    }),
    runs,
  )
})
