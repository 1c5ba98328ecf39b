import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import { safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planManifest } from '../../../src/reconcile/plan/plan_manifest.ts'
import { commitWhenAwaited } from '../../support/lock_wait.ts'
import { adminPassword, startTestServer, type TestServer } from '../../support/server.ts'
import { principalId } from '../../support/users.ts'
import { manifestOf } from '../support/literals.ts'

let server: TestServer
let api: Api

beforeAll(async () => {
  server = await startTestServer('postgres')
  api = createApi({ url: server.url, credentials: { login: 'administrator', password: adminPassword } })
})
afterAll(async () => {
  await api.close()
  await server.stop()
})

const planOf = (manifest: ReturnType<typeof manifestOf>) =>
  planManifest({ api, manifest, options: safeOptions })

test.each([true, false])(
  'a key that a request has just taken is named by the apply that loses, atomic: %s',
  async (atomic) => {
    const key = atomic ? 'raced' : 'raced_alone'
    const plan = await planOf(manifestOf({ [key]: {}, [`${key}_other`]: {} }, key))
    const owner = await principalId(server.database, 'administrator')
    const { outcomes, problem } = await commitWhenAwaited(
      server.database,
      async (tx) => {
        const [made] = await tx.query<{ id: number }>(
          `insert into resource (cls, parent_id, owner_id, keyname, display_name)
         values ('resource_group', 0, $1, $2, $3) returning id`,
          [owner, key, `${key} by hand`],
        )
        await tx.query(
          'insert into resource_path (ancestor_id, descendant_id, depth) values ($1, $1, 0), (0, $1, 1)',
          [made?.id],
        )
      },
      () => applyPlan({ api, plan, atomic }),
    )
    const failed = outcomes.find(({ change }) => change.key === key)
    expect(failed?.outcome).toBe('failed')
    expect(failed?.problem?.message).toBe(`"${key}" was created on the server since the plan was made.`)
    expect(problem).toBeUndefined()
  },
)

test('a key that another manifest has taken since the plan is named with the manifest', async () => {
  const plan = await planOf(manifestOf({ shared: { displayName: 'Ours' } }, 'second'))
  const first = await planOf(manifestOf({ shared: { displayName: 'Theirs' } }, 'first'))
  await applyPlan({ api, plan: first })
  const { outcomes } = await applyPlan({ api, plan })
  expect(outcomes[0]?.problem?.message).toBe(
    '"shared" was created on the server by the manifest "first" since the plan was made.',
  )
})
