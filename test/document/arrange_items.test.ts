import { describe, expect, it } from 'vitest'
import { editYaml } from '../../src/document/edit_yaml.ts'
import { parseYaml } from '../../src/document/parse_yaml.ts'

const text = `# head
rules:   # who
  # all fields of A

  # a, by name
  - { name: a, size: 1 }   # first
  # b, in a block
  - name: b
    size: 2   # second

  # Others

  # c
  - {size: 3, name: c}
# tail
flow: [ a, "b", &c c ]
lines: [
  # x
  { name: x }, # the x
  { name: y }
]
`
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name, index) => ({ name, size: index + 1 }))

/** Arranges a list, and checks that it then has the wanted value. */
function arrange(pointer: string, value: readonly unknown[], kept: readonly (number | undefined)[]): string {
  const edited = editYaml(text, [{ pointer, value, kept }])
  const { documents } = parseYaml('a.yaml', edited)
  expect(documents[0]?.value).toHaveProperty(pointer.slice(1), value)
  return edited
}

describe('editYaml, for items of lists', () => {
  it('adds items in the style of those above and changes nothing else', () => {
    expect(arrange('/rules', [a, d, b, d, c], [0, undefined, 1, undefined, 2])).toBe(
      text
        .replace('# first\n', '# first\n  - { name: d, size: 4 }\n')
        .replace('# second\n', '# second\n  - name: d\n    size: 4\n'),
    )
    expect(arrange('/rules', [a, b, c, d], [0, 1, 2, undefined])).toBe(
      text.replace('name: c}\n', 'name: c}\n  - {size: 4, name: d}\n'),
    )
  })

  it('removes items with their comments, and keeps headings', () => {
    expect(arrange('/rules', [b, c], [1, 2])).toBe(
      text.replace('  # a, by name\n  - { name: a, size: 1 }   # first\n', ''),
    )
    expect(arrange('/rules', [a, c], [0, 2])).toBe(
      text.replace('  # b, in a block\n  - name: b\n    size: 2   # second\n', ''),
    )
  })

  it('moves items with their comments', () => {
    const [itemA, itemB] = [
      '  # a, by name\n  - { name: a, size: 1 }   # first\n',
      '  # b, in a block\n  - name: b\n    size: 2   # second\n',
    ]
    expect(arrange('/rules', [b, a, c], [1, 0, 2])).toBe(text.replace(itemA + itemB, itemB + itemA))
  })

  it('arranges lists in brackets, on one line and on several', () => {
    expect(arrange('/flow', ['c', 'new', 'a'], [2, undefined, 0])).toBe(
      text.replace('[ a, "b", &c c ]', '[ &c c, new, a ]'),
    )
    const [x, y, z] = ['x', 'y', 'z'].map((name) => ({ name }))
    expect(arrange('/lines', [y, x, z], [1, 0, undefined])).toBe(
      text.replace(
        '  # x\n  { name: x }, # the x\n  { name: y }\n',
        '  { name: y },\n  # x\n  { name: x }, # the x\n  { name: z }\n',
      ),
    )
  })

  it('keeps blank lines between items', () => {
    const spaced = 'a:\n- x: 1\n\n- x: 2\n'
    const edit = { pointer: '/a', value: [{ x: 2 }, { x: 3 }, { x: 1 }], kept: [1, undefined, 0] }
    expect(editYaml(spaced, [edit])).toBe('a:\n- x: 2\n\n- x: 3\n\n- x: 1\n')
  })

  it('writes a list as a whole if its items are not on lines of their own, or none are left', () => {
    expect(editYaml('a: [1,\n  2, 3]\n', [{ pointer: '/a', value: [3, 1], kept: [2, 0] }])).toBe(
      'a: [ 3, 1 ]\n',
    )
    expect(editYaml('a:\n  - 1\nb: 2\n', [{ pointer: '/a', value: [], kept: [] }])).toBe('a: []\nb: 2\n')
  })
})
