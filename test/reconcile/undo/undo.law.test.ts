import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Api } from '../../../src/api/api.ts'
import type { JournalEntry } from '../../../src/contract/bodies/journal.ts'
import { isProblem } from '../../../src/core/problem.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { planUndo } from '../../../src/reconcile/undo/plan_undo.ts'
import { assertLaw, casesOn, patience, stepsOf } from '../../support/law_runs.ts'
import { describeServer } from '../../support/server.ts'
import { arbitraryTree } from '../support/arbitrary.ts'
import { tell } from '../support/literals.ts'
import { applyAll, expectDone, planAll, useSandboxes } from '../support/sandbox.ts'
import { readState } from '../support/tree_state.ts'

/** Applies of a run, each of the state before. */
const steps = 5

describeServer('an undo', (start, driver) => {
  const runs = { seed: 20_261_128, cases: casesOn[driver], steps }
  const sandbox = useSandboxes(start)

  it(
    'restores the tree before an apply, once; undone itself, it restores the tree after it',
    patience,
    async () => {
      const step = fc.record({ blocks: arbitraryTree('T'), atomic: fc.boolean() })
      await assertLaw(
        fc.asyncProperty(arbitraryTree('T'), stepsOf(step, steps), async (before, all) => {
          const { server, api, of } = await sandbox()
          let last = of(before)
          await applyAll(api, last)
          let first = await readState(server)
          for (const { blocks, atomic } of all) {
            const wanted = of(blocks)
            const { outcomes } = await applyAll(api, wanted, { atomic })
            if (outcomes.length === 0) continue
            const second = await readState(server)
            const applied = await lastEntry(api)
            await undo(api, applied)
            expect(await readState(server)).toEqual(first)
            expect(tell(await planAll(api, last))).toEqual([])
            const undone = await lastEntry(api)
            expect(await planAgain(api, applied)).toEqual([])
            await undo(api, undone)
            expect(await readState(server)).toEqual(second)
            expect(tell(await planAll(api, wanted))).toEqual([])
            first = second
            last = wanted
          }
        }),
        runs,
      )
    },
  )

  it('forgets that the manifest set what the apply set, also where that had its value already', async () => {
    const { api, of, top } = await sandbox()
    const before = of({ 'T.a': { parent: 'T' } })
    await applyAll(api, before)
    await applyAll(api, of({ 'T.a': { parent: 'T', description: 'x', resmeta: {} } }))
    await undo(api, await lastEntry(api))
    const id = (await planAll(api, before)).ids.get(`${top}.a`) ?? 0
    await api.call('resource.update', { params: { id }, body: { resmeta: { items: { year: 1999 } } } })
    expect(tell(await planAll(api, before))).toEqual([])
  })
})

async function lastEntry(api: Api): Promise<JournalEntry> {
  const [latest] = await api.call('journal.list', { query: { limit: 1 } })
  return api.call('journal.get', { params: { id: latest?.id ?? 0 }, query: { before: true } })
}

/** Plans an undo that may take everything back that the apply did. */
async function planWhole(api: Api, entry: JournalEntry): Promise<Plan> {
  const keys = new Set(entry.changes?.map(({ key }) => key))
  const options = { overwrite: new Set<string>(), allowDelete: keys, allowLoss: keys, withoutData: false }
  return (await planUndo({ api, entry, options, env: {} })).plan
}

async function undo(api: Api, entry: JournalEntry): Promise<void> {
  const plan = await planWhole(api, entry)
  expect(plan.issues.filter(({ severity }) => severity === 'error')).toEqual([])
  expectDone(await applyPlan({ api, plan, undoes: entry.id }))
}

/** Tells what the second undo of an apply would do if it is not refused. */
async function planAgain(api: Api, entry: JournalEntry): Promise<string[]> {
  try {
    const plan = await planWhole(api, entry)
    return plan.issues.some(({ severity }) => severity === 'error') ? [] : tell(plan)
  } catch (error) {
    if (isProblem(error)) return []
    throw error
  }
}
