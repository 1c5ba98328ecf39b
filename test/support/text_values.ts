import fc from 'fast-check'

const number = (least: number, most: number, digits = 1) =>
  fc.integer({ min: least, max: most }).map((value) => String(value).padStart(digits, '0'))
const oneOf = (...texts: string[]) => fc.constantFrom(...texts)
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(''))
const maybe = (text: fc.Arbitrary<string>) => fc.option(text, { nil: '' })

const separator = oneOf('-', '/')
const plainDate = joined(
  number(0, 10_000, 4),
  separator,
  number(0, 13),
  oneOf('-', '-', '/'),
  number(0, 32, 2),
)
const paddedDate = joined(number(1, 9999, 4), oneOf('-'), number(1, 12, 2), oneOf('-'), number(1, 31, 2))
const slashedDate = joined(number(1, 9999, 4), oneOf('/'), number(1, 12, 2), oneOf('/'), number(1, 31, 2))
const date = fc.oneof(plainDate, paddedDate, slashedDate)
const fraction = maybe(oneOf('.5', '.999999', '.', '.499'))
const time = joined(
  fc.oneof(number(0, 25), number(0, 23, 2)),
  oneOf(':'),
  number(0, 61, 2),
  maybe(joined(oneOf(':'), number(0, 61, 2), fraction)),
)
const zone = maybe(oneOf('Z', '+03', '-03:30', '+0330', '+3', 'z'))
const numeral = joined(
  maybe(oneOf('-', '+')),
  maybe(oneOf('0', '00')),
  fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 65n }), fc.bigInt({ min: 0n, max: 2n ** 33n })).map(String),
  maybe(oneOf('.', '.0', '.5')),
  maybe(joined(oneOf('e', 'E'), number(-400, 400))),
)
const limits = oneOf('2147483647', '2147483648', '-2147483648', '-2147483649', '9223372036854775807')
const beyond = oneOf(
  '9223372036854775808',
  '1.7976931348623158e308',
  '1.7976931348623159e308',
  '5e-324',
  '2e-324',
)
const words = oneOf('true', 'false', 'yes', 'no', 't', 'NaN', 'inf', 'null', '')

/** Texts that are nearly values of a datatype, and others, with white space around some of them. */
export const nearlyValues = joined(
  maybe(oneOf(' ', '  ', '\t', '\r\n')),
  fc.oneof(
    date,
    time,
    joined(date, oneOf('T', ' ', ''), time, zone),
    numeral,
    limits,
    beyond,
    words,
    fc.string({ maxLength: 8 }).filter((text) => !text.includes('\0')),
  ),
  maybe(oneOf(' ', '\n', '\u00a0')),
)
