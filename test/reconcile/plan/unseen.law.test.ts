import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import type { Api } from '../../../src/api/api.ts'
import type { Manifest, WantedRule } from '../../../src/manifest/manifest.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import { readActualTree } from '../../../src/reconcile/plan/plan_manifest.ts'
import { assertLaw, casesOn, patience } from '../../support/law_runs.ts'
import { describeServer } from '../../support/server.ts'
import { arbitraryTree } from '../support/arbitrary.ts'
import { connectAda, everything } from '../support/limited_account.ts'
import { type Block, manifestOf, ruleOf } from '../support/literals.ts'
import { applyAll, type Blocks, planAll, renameTop, useSandboxes } from '../support/sandbox.ts'
import { readState } from '../support/tree_state.ts'

/** Rules for ada: hidden, read only, hidden without what is below, everything; mostly none of them. */
const sight: fc.Arbitrary<readonly WantedRule[]> = fc.constantFrom<readonly WantedRule[]>(
  [],
  [],
  [],
  [ruleOf('ada', { action: 'deny', propagate: true })],
  [ruleOf('ada', { action: 'deny' })],
  [ruleOf('ada', { action: 'deny', permission: '', propagate: true })],
  [ruleOf('ada', { action: 'deny', permission: 'update', propagate: true })],
  [ruleOf('ada', { action: 'deny', permission: 'manage_children' })],
  [ruleOf('ada', { action: 'deny', scope: 'metadata', permission: '', propagate: true })],
  [everything],
)
const world = fc.record({
  before: arbitraryTree('T'),
  after: arbitraryTree('T'),
  sights: fc.array(sight, { minLength: 27, maxLength: 27 }),
  /** Whether ada may do everything in the group where nothing else is said, or only what single resources say. */
  isOpen: fc.boolean(),
  atomic: fc.boolean(),
})
type World = typeof world extends fc.Arbitrary<infer W> ? W : never

describeServer('an account that sees a part of the tree', (start, driver) => {
  const runs = { seed: 20_261_130, cases: casesOn[driver] }
  const sandbox = useSandboxes(start)
  let ada: Api | undefined
  afterAll(() => ada?.close())

  it(
    'never gets a plan to create what is there, and changes nothing that it does not see',
    patience,
    async () => {
      const seen = { hidden: 0, changed: 0 }
      await assertLaw(
        fc.asyncProperty(world, async (one) => {
          const { server, api, top } = await sandbox()
          ada ??= await connectAda(server)
          const account = ada
          await applyAll(api, manifestFor(one, one.before, top))
          const before = await readState(server)
          const whole = await readActualTree(api)
          const visible = await readActualTree(account)
          const wanted = manifestFor(one, one.after, top)
          const plan = await planAll(account, wanted)
          const unknown = new Set(plan.unknown.map(({ key }) => key))
          for (const key of wanted.resources.keys()) {
            if (!whole.byKeyname.has(key) || visible.byKeyname.has(key)) continue
            expect([key, unknown.has(key)]).toEqual([key, true])
            expect(plan.changes.filter((change) => change.key === key)).toEqual([])
          }
          // Even a client that ignores the errors of the plan does no harm.
          const careless = { ...plan, issues: [] }
          const { outcomes } = await applyPlan({ api: account, plan: careless, atomic: one.atomic })
          const after = await readState(server)
          for (const [id, state] of before) {
            if (visible.byId.has(id)) continue
            seen.hidden += 1
            expect(after.get(id)).toEqual(state)
          }
          if (outcomes.some(({ problem }) => problem === undefined)) seen.changed += 1
        }),
        runs,
      )
      expect(Math.min(seen.hidden, seen.changed)).toBeGreaterThan(runs.cases / 5)
    },
  )
})

/** A tree with rules for ada, which are the same before and after. */
function manifestFor({ sights, isOpen }: World, blocks: Blocks, top: string): Manifest {
  const owned = (rules: readonly WantedRule[]) => ({ permissions: { owns: 'all' as const, rules } })
  const ruled = Object.entries(blocks).map(([key, { permissions: _, ...block }]): [string, Block] => {
    const rules = sights[Number(key.slice(3))] ?? []
    return [key, { ...block, ...(rules.length === 0 ? {} : owned(rules)) }]
  })
  const group: Block = { displayName: top, ...owned(isOpen ? [everything] : [ruleOf('ada')]) }
  return manifestOf({ [top]: group, ...renameTop(Object.fromEntries(ruled), top) }, top)
}
