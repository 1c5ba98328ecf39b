import { describe, expect, it } from 'vitest'
import { isProblem } from '../../src/core/problem.ts'
import { editYaml, type YamlEdit } from '../../src/document/edit_yaml.ts'

const text = `# head
roads: # the roads
  was: streets   # before spring
  # keep this
  cls: 'vector_layer'

  data: { source: "a.json", fix_errors: SAFE }
  xml: |
    <map>
    </map>
  list:
    - was: x
      name: y
# tail
`

const edit = (...edits: YamlEdit[]) => editYaml(text, edits)

/** The lines that an edit removes and adds. */
function difference(before: string, after: string): string[] {
  const [oldLines, newLines] = [before.split('\n'), after.split('\n')]
  return [
    ...oldLines.filter((line) => !newLines.includes(line)).map((line) => `-${line}`),
    ...newLines.filter((line) => !oldLines.includes(line)).map((line) => `+${line}`),
  ]
}

describe('editYaml', () => {
  it('removes a member with its line and preserves every other character', () => {
    expect(edit({ pointer: '/roads/was', remove: true })).toBe(
      text.replace('  was: streets   # before spring\n', ''),
    )
  })

  it.each<[string, YamlEdit, string[]]>([
    ['a string', { pointer: '/roads/cls', value: 'webmap' }, ["-  cls: 'vector_layer'", '+  cls: webmap']],
    [
      'a string that needs quotes',
      { pointer: '/roads/cls', value: 'a: b' },
      ["-  cls: 'vector_layer'", '+  cls: "a: b"'],
    ],
    [
      'a member of a flow map',
      { pointer: '/roads/data/source', value: 'b, c.json' },
      [
        '-  data: { source: "a.json", fix_errors: SAFE }',
        '+  data: { source: "b, c.json", fix_errors: SAFE }',
      ],
    ],
    [
      'a new member of a flow map',
      { pointer: '/roads/data/skip_errors', value: true },
      [
        '-  data: { source: "a.json", fix_errors: SAFE }',
        '+  data: { source: "a.json", fix_errors: SAFE, skip_errors: true }',
      ],
    ],
    [
      'a multi-line string',
      { pointer: '/roads/xml', value: '<map/>\n<more/>\n' },
      ['-    <map>', '-    </map>', '+    <map/>', '+    <more/>'],
    ],
    [
      'a map in place of a string',
      { pointer: '/roads/cls', value: { a: 1, b: { id: 2 } } },
      ["-  cls: 'vector_layer'", '+  cls:', '+    a: 1', '+    b: { id: 2 }'],
    ],
    ['a new member', { pointer: '/roads/protect', value: true }, ['+  protect: true']],
  ])('sets %s', (_, change, lines) => {
    expect(difference(text, edit(change))).toEqual(lines)
  })

  it('removes the first, the last and several members of a flow map', () => {
    const flow = (...edits: YamlEdit[]) => editYaml('{ a: 1, b: 2, c: 3 }\n', edits)
    expect(flow({ pointer: '/a', remove: true })).toBe('{ b: 2, c: 3 }\n')
    expect(flow({ pointer: '/c', remove: true })).toBe('{ a: 1, b: 2 }\n')
    expect(flow({ pointer: '/a', remove: true }, { pointer: '/b', remove: true })).toBe('{ c: 3 }\n')
  })

  it('leaves an empty map when the last member is removed', () => {
    expect(editYaml('a:\n  b: 1\nc: 2\n', [{ pointer: '/a/b', remove: true }])).toBe('a:\n  {}\nc: 2\n')
  })

  it('removes the first member of a list item', () => {
    expect(edit({ pointer: '/roads/list/0/was', remove: true })).toContain('    - name: y\n')
  })

  it('applies several edits and ignores the removal of a missing member', () => {
    const edited = edit(
      { pointer: '/roads/was', remove: true },
      { pointer: '/roads/nothing', remove: true },
      { pointer: '/roads/list/0/name', value: 'z' },
    )
    expect(difference(text, edited)).toEqual([
      '-  was: streets   # before spring',
      '-      name: y',
      '+      name: z',
    ])
  })

  it('refuses members of aliases, merged members and invalid YAML', () => {
    const shared = 'a: &x { b: 1 }\nc: *x\nd:\n  <<: *x\n  e: 1\n'
    expect(() => editYaml(shared, [{ pointer: '/c/b', value: 2 }])).toThrow(/belongs to an alias/)
    expect(() => editYaml(shared, [{ pointer: '/d/b', value: 2 }])).toThrow(/is merged from another map/)
    expect(() => editYaml('a: [', [])).toThrow(expect.toSatisfy((error) => isProblem(error, 'yaml/syntax')))
  })

  it('preserves the line endings', () => {
    expect(editYaml('a: 1\r\nb: 2\r\n', [{ pointer: '/c', value: 3 }])).toBe('a: 1\r\nb: 2\r\nc: 3\r\n')
    expect(editYaml('a: 1\r\nb: 2\r\n', [{ pointer: '/a', remove: true }])).toBe('b: 2\r\n')
  })

  it('terminates the last line before adding one', () => {
    expect(editYaml('a: 1', [{ pointer: '/b', value: 2 }])).toBe('a: 1\nb: 2\n')
  })
})
