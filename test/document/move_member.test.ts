import { describe, expect, it } from 'vitest'
import { moveMember } from '../../src/document/move_member.ts'

const move = (text: string, from: string, into: string) =>
  moveMember(text, { from: from.replaceAll('.', '/'), into: into.replaceAll('.', '/') })

describe('a member of a YAML map', () => {
  it('moves with its comments, and gets the indentation of its new place', () => {
    const text = `# all
a:
  x: 1 # one
  children:
    # about b
    b: # the block
      text: |
        two
          lines

      last: 1  # end

    # about c
    c: { x: 2 }
d:
  children:
      e: { x: 3 }
`
    expect(move(text, '.a.children.b', '.d.children')).toBe(`# all
a:
  x: 1 # one
  children:

    # about c
    c: { x: 2 }
d:
  children:
      e: { x: 3 }
      # about b
      b: # the block
        text: |
          two
            lines

        last: 1  # end
`)
  })

  it('takes the map that it leaves empty with it, and adds the map that it needs', () => {
    const text = 'a:\n  x: 1\n  children:\n    b: { y: 1 }\nc:\n  x: 2\n'
    expect(move(text, '.a.children.b', '.c.children')).toBe(
      'a:\n  x: 1\nc:\n  x: 2\n  children:\n    b: { y: 1 }\n',
    )
    const inline = 'a: { x: 1, children: { b: { y: 1 } } }\nc: { x: 2 }\n'
    expect(move(inline, '.a.children.b', '.c.children')).toBe(
      'a: { x: 1 }\nc: { x: 2, children: { b: { y: 1 } } }\n',
    )
    const empty = 'a:\n  x: 1\n  children:\n    b: { y: 1 }\nc:\n  x: 2\n  children: {}\n'
    expect(move(empty, '.a.children.b', '.c.children')).toBe(
      'a:\n  x: 1\nc:\n  x: 2\n  children:\n    b: { y: 1 }\n',
    )
  })

  it('moves up, and between maps in braces and others', () => {
    const text = 'a:\n  x: 1\n  children:\n    b:\n      y: 1\n      children: { c: { z: 1 }, d: { z: 2 } }\n'
    expect(move(text, '.a.children.b.children.c', '.a.children')).toBe(
      'a:\n  x: 1\n  children:\n    b:\n      y: 1\n      children: { d: { z: 2 } }\n    c: { z: 1 }\n',
    )
  })

  it.each([
    [
      'an anchor would follow its alias',
      'a:\n  b: &n { y: 1 }\n  e: 1\nc:\n  d: *n\nf:\n  x: 1\n',
      '.a.b',
      '.f.children',
    ],
    [
      'a merged map would get it, too',
      'a: &m\n  x: 1\nb:\n  <<: *m\n  z: { y: 1 }\n  w: 1\n',
      '.b.z',
      '.a.children',
    ],
    ['the map is an alias', 'a: &m { x: 1 }\nb: *m\nc:\n  z: { y: 1 }\n  w: 1\n', '.c.z', '.b.children'],
    ['it is in the member itself', 'a:\n  b:\n    x: 1\n  c: 1\n', '.a.b', '.a.b.children'],
    ['its lines do not fit into braces', 'a:\n  b:\n    x: 1\n  c: 1\nd: { x: 1 }\n', '.a.b', '.d.children'],
    ['its comment has no place', 'a:\n  b: { x: 1 } # why\n  c: 1\nd: { x: 1 }\n', '.a.b', '.d.children'],
  ])('stays where it is if %s', (_, text, from, into) => {
    expect(() => move(text, from, into)).toThrow(/^Cannot edit the value/)
  })
})
