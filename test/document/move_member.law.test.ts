import fc from 'fast-check'
import { expect, test } from 'vitest'
import { moveMember } from '../../src/document/move_member.ts'
import { parseYaml } from '../../src/document/parse_yaml.ts'
import { findBlockPointer } from '../../src/manifest/rewrite.ts'

interface Block {
  readonly isInline: boolean
  readonly comment: boolean
  readonly note: boolean
  readonly text: boolean
  readonly gap: boolean
  readonly children: readonly Block[]
}

const { tree } = fc.letrec<{ tree: Block }>((tie) => ({
  tree: fc.record({
    isInline: fc.boolean(),
    comment: fc.boolean(),
    note: fc.boolean(),
    text: fc.boolean(),
    gap: fc.boolean(),
    children: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constant([]),
      fc.array(tie('tree'), { maxLength: 3 }),
    ),
  }),
}))

/** Writes blocks as YAML, with comments that name the block they belong to. */
function write(blocks: readonly Block[], { unit, end }: { unit: number; end: string }) {
  let count = 0
  const lines: string[] = ['# head', 'manifest: m', 'resources:', `${' '.repeat(unit)}root:`]
  const add = (depth: number, line: string) => lines.push(`${' '.repeat(unit * depth)}${line}`)
  const addText = (depth: number, key: string) => {
    add(depth, 'description: |')
    add(depth + 1, `first line of ${key}`)
    lines.push('')
    add(depth + 2, 'second # line')
  }
  const addBlock = ({ isInline, comment, note, text, gap, children }: Block, depth: number) => {
    const key = `b${count++}`
    const after = note ? `  # behind ${key}` : ''
    if (gap) lines.push('')
    if (comment) add(depth, `# above ${key}`)
    if (isInline && children.length === 0)
      return add(depth, `${key}: { cls: resource_group, display_name: ${key} }${after}`)
    add(depth, `${key}:`)
    add(depth + 1, `display_name: ${key}${after}`)
    if (text) addText(depth + 1, key)
    return children.length > 0 && addBlocks(children, depth + 1)
  }
  const addBlocks = (list: readonly Block[], depth: number) => {
    add(depth, 'children:')
    for (const block of list) addBlock(block, depth + 1)
  }
  add(2, 'existing: true')
  if (blocks.length > 0) addBlocks(blocks, 2)
  return { text: lines.join(end) + end, count }
}

const numRuns = process.env.LANDFORM_SOAK ? 20_000 : 400

const readValue = (text: string) => parseYaml('m.yaml', text).documents[0]?.value

const linesOf = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== 'children:')
    .sort()

test('a block moves below any other block with all of its lines and comments', () => {
  fc.assert(
    fc.property(
      fc.array(tree, { minLength: 1, maxLength: 4 }),
      fc.record({ unit: fc.constantFrom(2, 4), end: fc.constantFrom('\n', '\r\n') }),
      fc.nat(),
      fc.nat(),
      (blocks, style, a, b) => {
        const { text, count } = write(blocks, style)
        const key = `b${a % count}`
        const parent = b % (count + 1) === count ? 'root' : `b${b % (count + 1)}`
        const value = readValue(text)
        const [from, into] = [findBlockPointer(value, key) ?? '', findBlockPointer(value, parent) ?? '']
        const former = from.split('/children/').slice(0, -1).join('/children/')
        if (into === from || into.startsWith(`${from}/`) || into === former) return
        // Members in braces take only what is written in braces.
        const isInBraces = text.includes(`${parent}: {`) && !text.includes(`${key}: {`)
        const isCommented = text.includes(`# above ${key}\n`) || text.includes(`# behind ${key}\n`)
        if (text.includes(`${parent}: {`) && (isInBraces || isCommented || style.end === '\r\n')) return
        const moved = moveMember(text, { from, into: `${into}/children` })
        const place = findBlockPointer(readValue(moved), key)
        expect(place).toBe(`${findBlockPointer(readValue(moved), parent)}/children/${key}`)
        if (!text.includes(`${parent}: {`)) expect(linesOf(moved)).toEqual(linesOf(text))
        expect(moved.includes('\r\n')).toBe(style.end === '\r\n')
      },
    ),
    { numRuns, seed: 20_261_128 },
  )
})
