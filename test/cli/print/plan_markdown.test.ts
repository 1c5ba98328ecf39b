import { expect, it } from 'vitest'
import { formatMarkdown, maxMarkdown } from '../../../src/cli/print/plan_markdown.ts'
import { type Block, planOf, type Row } from '../../reconcile/support/literals.ts'

const documentOf = (plan: ReturnType<typeof planOf>) => ({ plan, sources: new Map<string, string>() })

it('writes a section for each kind of change, with what the plan is based on', () => {
  const plan = planOf({
    blocks: { a: {}, b: { displayName: 'New' } },
    rows: [
      { id: 2, key: 'b', name: 'Old' },
      { id: 3, key: 'gone' },
    ],
    options: { prune: true, fuse: 1 },
  })
  expect(
    formatMarkdown({ ...documentOf(plan), commit: '0123456789ab' }),
  ).toBe(`### Plan for test: 1 to create, 1 to update, 1 to delete, 1 unchanged.

Manifest: \`test\` · Commit: \`0123456789ab\` · Server: \`${plan.server}\` · Account: \`ada\`

<details open><summary>1 to delete</summary>

\`\`\`diff
- gone  resource_group  Main / gone
\`\`\`

</details>

<details><summary>1 to update</summary>

\`\`\`diff
! b  resource_group  Main / New
      display_name  "Old" → "New"
\`\`\`

</details>

<details><summary>1 to create</summary>

\`\`\`diff
+ a  resource_group  Main / a
\`\`\`

</details>
`)
})

it('keeps within the maximum length of a comment, and counts what it leaves out', () => {
  const blocks = Object.fromEntries(
    Array.from({ length: 3000 }, (_, at): [string, Block] => [`k${at}`, { description: '漢`<'.repeat(200) }]),
  )
  const rows = Array.from({ length: 2000 }, (_, at): Row => ({ id: at + 1, key: `k${at}`, name: 'Old' }))
  const text = formatMarkdown(documentOf(planOf({ blocks, rows })))
  expect(text.length).toBeLessThanOrEqual(maxMarkdown)
  expect(text.length).toBeGreaterThan(maxMarkdown - 5000)
  expect(text).toMatch(/… and [\d,]+ more; landform plan shows all of them/)
  expect(text).toContain('1000 to create: not shown, see landform plan.')
  expect(text.match(/<details/g)).toHaveLength(text.match(/<\/details>/g)?.length ?? 0)
})

it('does not let names end a block, hide text or mention people', () => {
  const name = '```\n</details> @ada <script> \u202e\u001b[31m'
  const plan = planOf({ blocks: { a: { displayName: name } }, rows: [] })
  const text = formatMarkdown(documentOf({ ...plan, manifest: '@ada`](http://x)' }))
  const [fence] = text.match(/^`{3,}(?=diff$)/m) ?? []
  expect(fence).toHaveLength(4)
  expect(text.split(`\n${fence}`)).toHaveLength(3)
  expect(['\u202e', '\u001b'].filter((character) => text.includes(character))).toEqual([])
  expect(text).toContain('Manifest: ``@ada`](http://x)``')
  expect(text.split('\n')[0]).not.toMatch(/[@`[\]]/)
})
