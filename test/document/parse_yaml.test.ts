import { describe, expect, it } from 'vitest'
import { decodeText, maxFileBytes } from '../../src/document/decode_text.ts'
import { parseFully, parseYaml } from '../../src/document/parse_yaml.ts'
import { keySpanAt, spanAt, toValue } from '../../src/document/yaml_node.ts'

const text = `# head
list:
- a
- name: x
  "odd/key~": [1, {deep: two}]
block: |
  one
  two
nothing:
"quoted": 'it''s'
`

function positionOf(parse: typeof parseYaml, pointer: string, at = spanAt): unknown {
  const [document] = parse('f', text).documents
  if (document === undefined) throw new Error('no document')
  const { line, column, endLine, endColumn } = at(document, pointer)
  return [line, column, endLine, endColumn]
}

describe.each([
  ['the plain reader', parseYaml],
  ['the full parser', parseFully],
])('positions by %s', (_, parse) => {
  it.each([
    ['/list/0', [3, 3, 3, 4]],
    ['/list', [2, 1, 2, 5]],
    ['/list/1/name', [4, 9, 4, 10]],
    ['/list/1/odd~1key~0', [5, 15, 5, 31]],
    ['/list/1/odd~1key~0/1/deep', [5, 26, 5, 29]],
    ['/list/1/odd~1key~0/1/deep/er', [5, 26, 5, 29]],
    ['/nothing', [9, 1, 9, 8]],
    ['/quoted', [10, 11, 10, 18]],
  ])('%s', (pointer, position) => {
    expect(positionOf(parse, pointer)).toEqual(position)
  })

  it('of keys', () => {
    expect(positionOf(parse, '/list/1/name', keySpanAt)).toEqual([4, 3, 4, 7])
    expect(positionOf(parse, '/list/0', keySpanAt)).toEqual([3, 3, 3, 4])
    expect((positionOf(parse, '/block') as number[]).slice(0, 2)).toEqual([6, 8])
  })
})

describe('parseYaml', () => {
  const valuesOf = (yaml: string) => parseYaml('f', yaml).documents.map(({ root }) => toValue(root))

  it('reads each document of a file', () => {
    expect(valuesOf('a: 1\n---\nb: 2\n')).toEqual([{ a: 1 }, { b: 2 }])
    expect(valuesOf('')).toEqual([])
  })

  it('reads a key __proto__ as a key, without changing a prototype', () => {
    const [value] = valuesOf('__proto__: { polluted: true }\n')
    expect(Object.keys(value as object)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as { polluted?: true }).polluted).toBeUndefined()
  })

  it('prefers own members over merged ones, and earlier merged maps over later ones', () => {
    expect(
      valuesOf('x: &x { a: 1, b: 1 }\ny: &y { b: 2, c: 2 }\nz: { c: 3, <<: [*x, *y] }\n')[0],
    ).toMatchObject({ z: { a: 1, b: 1, c: 3 } })
  })

  it('resolves an alias to the last anchor of its name before it', () => {
    expect(valuesOf('a: &x 1\nb: &y [*x]\nc: &x 2\nd: *y\ne: *x\n')[0]).toEqual({
      a: 1,
      b: [1],
      c: 2,
      d: [1],
      e: 2,
    })
  })

  it('parses deeply nested brackets without exhausting the stack', () => {
    const { issues } = parseYaml('f', `a: ${'['.repeat(20_000)}`)
    expect(issues.length).toBeGreaterThan(0)
    expect(issues.map(({ message }) => message).join()).not.toContain('call stack')
  })

  it('reports the depth once, at its position', () => {
    const deep = `a: ${'['.repeat(2000)}${']'.repeat(2000)}`
    const found = parseYaml('f', deep).issues.map(({ message, span }) => [message, span?.line, span?.column])
    expect(found).toEqual([['nested deeper than 100 levels', 1, 103]])
  })

  // Searching the document for each of them would take hours.
  it('locates tens of thousands of unclosed brackets', () => {
    const { issues } = parseYaml('f', `a:\n${'  - [[[\n'.repeat(20_000)}`)
    expect(issues[0]).toMatchObject({ message: 'unclosed [', span: { line: 2, column: 7 } })
  })
})

describe('decodeText', () => {
  const issueOf = (bytes: Buffer) => {
    const decoded = decodeText('f', bytes)
    return 'issue' in decoded ? [decoded.issue.code, decoded.issue.message] : decoded.text
  }

  it('decodes UTF-8 with and without a byte order mark', () => {
    expect(issueOf(Buffer.from('\ufeffé'))).toBe('é')
    expect(issueOf(Buffer.from('é \ufffd'))).toBe('é \ufffd')
  })

  it('reports the first invalid byte, after replacement characters that are part of the file', () => {
    const bytes = Buffer.concat([Buffer.from('ok\n\ufffd é'), Buffer.from([0xff, 0x41])])
    expect(issueOf(bytes)).toEqual(['file/encoding', 'the file is not UTF-8: byte 0xff at column 4'])
  })

  it('refuses a file that is too large', () => {
    expect(issueOf(Buffer.alloc(maxFileBytes + 1, 0x20))[0]).toBe('file/too-large')
  })
})
