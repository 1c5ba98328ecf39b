import { describe, expect, it } from 'vitest'
import { problem } from '../../../src/contract/problems.ts'
import { runSteps } from '../../../src/reconcile/apply/schedule_steps.ts'
import type { Change, Step } from '../../../src/reconcile/model/change.ts'

const change: Change = {
  action: 'create',
  key: 'a',
  cls: 'resource_group',
  displayName: 'a',
  path: [],
  edits: [],
  body: {},
}
const step = (id: string, after: readonly string[] = [], phase: Step['phase'] = 'first'): Step => ({
  id,
  kind: 'write',
  change,
  after,
  phase,
})

async function run(steps: readonly Step[], failing: readonly string[] = []) {
  const order: string[] = []
  const results = await runSteps(steps, {
    concurrency: 2,
    run: async ({ id }) => {
      order.push(id)
      await Promise.resolve()
      if (failing.includes(id)) throw problem('access/denied', `${id} is forbidden.`)
    },
  })
  return { order, states: Object.fromEntries([...results].map(([id, { state }]) => [id, state])), results }
}

describe('runSteps', () => {
  it('runs a step when all its dependencies are complete', async () => {
    const { order } = await run([step('d', ['b', 'c']), step('c', ['a']), step('b', ['a']), step('a')])
    expect(order[0]).toBe('a')
    expect(order.at(-1)).toBe('d')
  })

  it('skips only the steps that depend on a failed one', async () => {
    const { states, results } = await run(
      [step('a'), step('b', ['a']), step('c', ['b']), step('x'), step('y', ['x'])],
      ['a'],
    )
    expect(states).toEqual({ a: 'failed', b: 'skipped', c: 'skipped', x: 'done', y: 'done' })
    expect(results.get('c')).toEqual({ state: 'skipped', because: 'a' })
  })

  it('runs the last phase only when all other steps are complete', async () => {
    const steps = [step('z', [], 'last'), step('a')]
    expect((await run(steps)).order).toEqual(['a', 'z'])
    expect((await run(steps, ['a'])).states).toEqual({ a: 'failed', z: 'skipped' })
  })

  it('starts no more steps after an abort, and completes the running ones', async () => {
    const stop = new AbortController()
    const results = await runSteps([step('a'), step('b', ['a']), step('c', ['b'])], {
      concurrency: 1,
      signal: stop.signal,
      run: async () => stop.abort(),
    })
    expect([...results].map(([id, { state }]) => [id, state])).toEqual([
      ['a', 'done'],
      ['b', 'skipped'],
      ['c', 'skipped'],
    ])
  })

  it('starts no more steps if the server cannot be reached', async () => {
    const steps = [step('a'), step('b'), step('c', ['b']), step('z', [], 'last')]
    const results = await runSteps(steps, {
      concurrency: 1,
      run: async () => {
        throw problem('http/unreachable', 'Connection refused.', { data: { sent: false } })
      },
    })
    const states = Object.fromEntries([...results].map(([id, { state }]) => [id, state]))
    expect(states).toEqual({ a: 'failed', b: 'skipped', c: 'skipped', z: 'skipped' })
  })

  it('skips steps with cyclic dependencies instead of hanging', async () => {
    expect((await run([step('a', ['b']), step('b', ['a'])])).states).toEqual({ a: 'skipped', b: 'skipped' })
  })
})
