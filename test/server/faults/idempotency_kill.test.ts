import { afterEach, expect, test } from 'vitest'
import { drivers } from '../../support/drivers.ts'
import { createServerEnvironment, type ServerEnvironment } from '../../support/killable.ts'
import type { Ask } from '../../support/server.ts'
import { createLayer } from '../../support/tree.ts'

let ground: ServerEnvironment | undefined
afterEach(async () => {
  await ground?.remove()
  ground = undefined
})

const keys = Array.from({ length: 60 }, (_, at) => `killed-${at}`)
/** So many creations are answered before the server dies; the others are anywhere. */
const answeredBefore = 15

const create = async (ask: Ask, layer: number, key: string): Promise<number> => {
  const body = { geom: 'POINT (1 2)', fields: { name: key } }
  const headers = { 'idempotency-key': key }
  const answer = await ask('POST', `/api/resource/${layer}/feature/`, body, headers)
  if (answer.status !== 200) throw new Error(await answer.text())
  return (await answer.json<{ id: number }>()).id
}

/** Sends all creations at once, and kills the server when some of them are answered. Gives what was answered. */
async function createUntilKilled(standing: ServerEnvironment) {
  const server = await standing.start()
  const fields = [{ keyname: 'name', datatype: 'STRING' }]
  const layer = await createLayer(server.admin, { name: 'Killed', geometryType: 'POINT', fields })
  const answered = new Map<string, number>()
  let killing: Promise<void> | undefined
  const sending = keys.map(async (key) => {
    const id = await create(server.admin, layer, key).catch(() => undefined)
    if (id !== undefined) answered.set(key, id)
    if (answered.size >= answeredBefore) killing ??= server.kill()
  })
  await Promise.all(sending)
  await killing
  return { layer, answered }
}

test.each(drivers)(
  'creations under keys are each done once, though the server was killed among them, on %s',
  async (driver) => {
    ground = await createServerEnvironment(driver)
    const { layer, answered } = await createUntilKilled(ground)
    expect(answered.size).toBeGreaterThanOrEqual(answeredBefore)
    const { running, admin } = await ground.inspect()
    try {
      // As if the silence of the dead had been waited for.
      await running.context.database.query(
        `update idempotency_key set touched_at = touched_at - interval '1 hour' where answer is null`,
      )
      const ids = new Map<string, number>()
      for (const key of keys) ids.set(key, await create(admin, layer, key))
      for (const [key, id] of answered) expect([key, ids.get(key)]).toEqual([key, id])
      const features = await admin('GET', `/api/resource/${layer}/feature/?geom=no`)
      const made = await features.json<{ id: number; fields: { name: string } }[]>()
      expect(made.map(({ fields }) => fields.name).sort()).toEqual([...keys].sort())
      expect(new Map(made.map(({ id, fields }) => [fields.name, id]))).toEqual(ids)
    } finally {
      await running.stop()
    }
  },
)
