import { describe, expect, it } from 'vitest'
import { formatIssue } from '../../../../src/core/excerpt.ts'
import { formatSpan } from '../../../../src/core/span.ts'
import { readImport } from '../../../../src/reconcile/catalog/import/plan_import.ts'

const read = (file: string, text: string) => {
  const { rows, issues } = readImport({ file, text })
  return {
    members: rows.map(({ members }) => members),
    separator: readImport({ file, text }).separator,
    spansOf: (member?: string) => rows.map((row) => formatSpan(row.spanOf(member))),
    pointers: rows.map(({ pointer }) => pointer),
    issues: issues.map((issue) => formatIssue(issue)),
  }
}

describe('a table', () => {
  const text = 'name,type,desc\n\nA,wms,"two\nlines, and ""quotes"""\nB,tms\n'

  it('has a record per row, of strings, with the positions of cells', () => {
    const { members, spansOf, issues } = read('a.csv', text)
    expect(members).toEqual([
      { name: 'A', type: 'wms', desc: 'two\nlines, and "quotes"' },
      { name: 'B', type: 'tms' },
    ])
    expect(spansOf('type')).toEqual(['a.csv:3:3', 'a.csv:5:3'])
    expect(spansOf('desc')).toEqual(['a.csv:3:7', 'a.csv:5:1'])
    expect(spansOf()).toEqual(['a.csv:3:1', 'a.csv:5:1'])
    expect(issues).toEqual([])
  })

  it('reports duplicate columns and rows with too many cells', () => {
    expect(read('a.csv', 'name,name,url\nA,B,C,D\n').issues).toEqual([
      'a.csv:1:6 error source/unreadable: duplicate column "name"',
      'a.csv:2:7 error source/unreadable: the row has 4 cells, the header has 3\n  hint: Quote values with commas.',
    ])
  })

  it('is separated by commas, semicolons or tabs, as its header says', () => {
    const { members, separator, spansOf } = read('a.csv', 'Name;TYPE;"Url"\n"A;B";wms;x,y\n;;\n')
    expect([members, separator]).toEqual([[{ name: 'A;B', type: 'wms', url: 'x,y' }], ';'])
    expect(spansOf('url')).toEqual(['a.csv:2:11'])
    expect(read('a.csv', 'name\ttype\nA\twms\n')).toMatchObject({
      members: [{ name: 'A', type: 'wms' }],
      separator: '\t',
    })
    expect(read('a.csv', 'name\nA;B\n')).toMatchObject({ members: [{ name: 'A;B' }], separator: ',' })
  })

  it('may be one long line, or one open quote', () => {
    expect(read('a.csv', 'a;'.repeat(1000)).issues).toHaveLength(1000)
    expect(read('a.csv', `"${'a'.repeat(2_000_000)}`).issues).toHaveLength(1)
  })

  it('reports unknown columns once, at the header, and ignores empty ones', () => {
    const { issues, members } = read('a.csv', 'nmae;title;;type\nA;B;;wms\nC;D;;tms\n')
    expect(issues).toEqual([
      'a.csv:1:1 error source/unreadable: unknown column "nmae"\n  hint: did you mean "name"?',
      'a.csv:1:6 error source/unreadable: unknown column "title"\n  hint: write name',
    ])
    expect(members).toEqual([{ type: 'wms' }, { type: 'tms' }])
    expect(read('a.csv', 'name,\nA,B\n').issues).toEqual([
      'a.csv:1:6 error source/unreadable: unknown column ""',
    ])
    expect(read('a.csv', 'a;b\nc;d\n').members).toEqual([])
  })

  it('has no members for empty cells, and null for the cell null', () => {
    expect(read('a.csv', 'name,desc,epsg\nA,, \nB,null,NULL\n').members).toEqual([
      { name: 'A' },
      { name: 'B', desc: null, epsg: null },
    ])
  })

  it('reports an open quote with its line, and an empty file', () => {
    expect(read('a.csv', 'name\nA\n"B').issues[0]).toMatch(/^a\.csv:3:1 error source\/unreadable: Quote/)
    expect(read('a.csv', '\n').issues).toEqual(['a.csv:1:1 error source/unreadable: the file is empty'])
  })
})

describe('JSON', () => {
  it('is a list of records, with pointers and positions', () => {
    const { members, pointers, spansOf } = read(
      'a.json',
      '[\n  {"name": "A",\n   "epsg": 1},\n  {"name": "B"}\n]',
    )
    expect(members).toEqual([{ name: 'A', epsg: 1 }, { name: 'B' }])
    expect(pointers).toEqual(['/0', '/1'])
    expect(spansOf('epsg')).toEqual(['a.json:3:12', 'a.json:4:3'])
  })

  it('is a page of the API, or one record', () => {
    expect(read('a.json', '{"count": 1, "results": [{"name": "A"}]}').pointers).toEqual(['/results/0'])
    expect(read('a.json', '{"name": "A"}').pointers).toEqual([''])
  })

  it('reports syntax errors and values that are not records', () => {
    expect(read('a.json', '[\n  {"name": }\n]').issues[0]).toMatch(
      /^a\.json:2:12 error source\/unreadable: invalid JSON/,
    )
    expect(read('a.json', '[{}, 5]').issues).toEqual([
      'a.json:1:6 error source/unreadable: expected a record',
    ])
  })
})

describe('lines of JSON', () => {
  it('are a record each, with the span of the line', () => {
    const { members, spansOf } = read('a.ndjson', '{"name": "A"}\n\n{"name": "B"}\n')
    expect(members).toEqual([{ name: 'A' }, { name: 'B' }])
    expect(spansOf('name')).toEqual(['a.ndjson:1:1', 'a.ndjson:3:1'])
  })

  it('reports every line that is not a record', () => {
    expect(read('a.ndjson', '{"name": "A"}\n{"name"\n7\n').issues).toEqual([
      expect.stringMatching(/^a\.ndjson:2:8 error source\/unreadable: invalid JSON/),
      'a.ndjson:3:1 error source/unreadable: expected a record',
    ])
  })
})

it('detects the format of a file without a known extension', () => {
  expect(read('a', '[{"name": "A"}]').pointers).toEqual(['/0'])
  expect(read('a', 'name\nA').members).toEqual([{ name: 'A' }])
})

describe('JSON that nests too deeply', () => {
  it.each([
    ['a list', '['.repeat(1_000_000), 'a.json:1:201'],
    ['a value', `[{"name":${'['.repeat(200_000)}${']'.repeat(200_000)}}]`, 'a.json:1:208'],
    ['a line', `{"name":"["}\n{"name":${'{"a":'.repeat(300)}1${'}'.repeat(300)}}`, 'a.json:2:'],
  ])('is a fault with its position: %s', (_, text, place) => {
    const [issue = ''] = read('a.json', text).issues
    expect(issue.startsWith(place)).toBe(true)
    expect(issue).toContain('invalid JSON: it nests lists and objects more than 200 levels deep')
  })
})
