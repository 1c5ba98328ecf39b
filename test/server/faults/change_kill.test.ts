import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { drivers } from '../../support/drivers.ts'
import { createServerEnvironment, type ServerEnvironment } from '../../support/killable.ts'
import { createGroup } from '../../support/resources.ts'
import type { Ask } from '../../support/server.ts'
import { createLayer } from '../../support/tree.ts'

interface WireField {
  readonly id: number
  readonly keyname: string
  readonly datatype: string
}

interface WireLayer {
  readonly feature_layer: { readonly fields: readonly WireField[] }
}

class Refusal extends Error {}

const features = 500
const batchSize = 600
/**
 * So many answers of a cheap request are waited for before the server dies: nearly none, and some. The embedded database takes
 * long to start.
 */
const moments = { postgres: [1, 30], pglite: [30] }

const first = [
  { keyname: 'name', datatype: 'STRING' },
  { keyname: 'count', datatype: 'INTEGER' },
]
const second = [
  { keyname: 'name', datatype: 'STRING' },
  { keyname: 'count', datatype: 'STRING' },
  { keyname: 'added', datatype: 'DATE' },
]

describe.each(drivers)('a server on %s that is killed during changes', (driver) => {
  let ground: ServerEnvironment
  beforeAll(async () => {
    ground = await createServerEnvironment(driver)
  })
  afterAll(() => ground.remove())

  const json = async <T>(ask: Ask, method: string, path: string, body?: object): Promise<T> => {
    const answer = await ask(method, path, body)
    if (answer.status !== 200) throw new Refusal(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json<T>()
  }

  const fieldsOf = async (admin: Ask, layer: number) =>
    (await json<WireLayer>(admin, 'GET', `/api/resource/${layer}`)).feature_layer.fields

  /** What the changes work on: two groups with a tree in one of them, a layer with features, and a group to fill. */
  const plant = async (admin: Ask) => {
    const left = await createGroup(admin, 0, { display_name: 'Left' })
    const right = await createGroup(admin, 0, { display_name: 'Right' })
    const moved = await createGroup(admin, left, { display_name: 'Moved' })
    const below = await createGroup(admin, moved, { display_name: 'Below' })
    const filled = await createGroup(admin, 0, { display_name: 'Filled' })
    const layer = await createLayer(admin, { name: 'Changed', geometryType: 'POINT', fields: first })
    const bodies = Array.from({ length: features }, (_, at) => ({
      geom: `POINT (${at} ${at})`,
      fields: { name: `n${at}`, count: at },
    }))
    await json(admin, 'PATCH', `/api/resource/${layer}/feature/`, bodies)
    return { left, right, moved, below, filled, layer }
  }
  type Planted = Awaited<ReturnType<typeof plant>>

  /** Does one thing after the other until the server is gone; to refuse it is a fault. */
  const untilGone = async (work: () => Promise<unknown>) => {
    try {
      for (;;) await work()
    } catch (error) {
      if (error instanceof Refusal) throw error
    }
  }

  const moveToAndFro = (admin: Ask, { left, right, moved }: Planted) => {
    let id = left
    return untilGone(() => {
      id = id === left ? right : left
      return json(admin, 'PUT', `/api/resource/${moved}`, { resource: { parent: { id } } })
    })
  }

  const changeFields = (admin: Ask, { layer }: Planted) => {
    let wanted = first
    return untilGone(async () => {
      wanted = wanted === first ? second : first
      const standing = await fieldsOf(admin, layer)
      const fields = wanted.map((field) => {
        const same = standing.find(({ keyname }) => keyname === field.keyname)
        return same === undefined ? field : { ...field, id: same.id }
      })
      // What is not named stays.
      const dropped = standing
        .filter(({ id }) => !fields.some((field) => 'id' in field && field.id === id))
        .map((field) => ({ ...field, delete: true }))
      await json(admin, 'PUT', `/api/resource/${layer}`, {
        feature_layer: { fields: [...fields, ...dropped] },
      })
    })
  }

  const fill = (admin: Ask, { filled }: Planted) => {
    let round = 0
    return untilGone(() => {
      round += 1
      const operations = Array.from({ length: batchSize }, (_, at) => ({
        op: 'create',
        name: `g${at}`,
        body: {
          resource: {
            cls: 'resource_group',
            display_name: `${round}.${at}`,
            parent: { id: at === 0 ? filled : 'g0' },
          },
        },
      }))
      return json(admin, 'POST', '/api/component/landform/batch', { operations })
    })
  }

  const checkBatches = async (admin: Ask, { filled }: Planted) => {
    const made = await json<unknown[]>(admin, 'GET', `/api/resource/search/?parent_id__recursive=${filled}`)
    // The group itself, and whole batches.
    expect((made.length - 1) % batchSize).toBe(0)
  }

  const checkMove = async (admin: Ask, { left, right, moved, below }: Planted) => {
    const { resource } = await json<{ resource: { parent: { id: number } } }>(
      admin,
      'GET',
      `/api/resource/${moved}`,
    )
    expect([left, right]).toContain(resource.parent.id)
    const other = resource.parent.id === left ? right : left
    const idsBelow = async (id: number) =>
      (
        await json<{ resource: { id: number } }[]>(
          admin,
          'GET',
          `/api/resource/search/?parent_id__recursive=${id}`,
        )
      )
        .map((one) => one.resource.id)
        .sort((a, b) => a - b)
    expect(await idsBelow(resource.parent.id)).toEqual(
      [resource.parent.id, moved, below].sort((a, b) => a - b),
    )
    expect(await idsBelow(other)).toEqual([other])
  }

  const checkFields = async (admin: Ask, { layer }: Planted) => {
    const fields = await fieldsOf(admin, layer)
    const shape = fields.map(({ keyname, datatype }) => ({ keyname, datatype }))
    expect([first, second]).toContainEqual(shape)
    const found = await json<{ fields: Record<string, unknown> }[]>(
      admin,
      'GET',
      `/api/resource/${layer}/feature/?geom=no`,
    )
    expect(found).toHaveLength(features)
    for (const [at, feature] of found.entries()) {
      const count = shape[1]?.datatype === 'INTEGER' ? at : String(at)
      const added = shape.length === 3 ? { added: null } : {}
      expect(feature.fields).toEqual({ name: `n${at}`, count, ...added })
    }
  }

  test.each(moments[driver])('has each change completely or not at all, at attempt %i', async (moment) => {
    const server = await ground.start()
    const planted = await plant(server.admin)
    const work = [moveToAndFro, changeFields, fill].map((begin) => begin(server.admin, planted))
    for (let at = 0; at < moment; at += 1) await server.admin('GET', '/healthz')
    await server.kill()
    await Promise.all(work)
    const { running, admin } = await ground.inspect()
    try {
      await checkBatches(admin, planted)
      await checkMove(admin, planted)
      await checkFields(admin, planted)
      for (const name of ['left', 'right', 'filled', 'layer'] as const)
        await json(admin, 'DELETE', `/api/resource/${planted[name]}`)
    } finally {
      await running.stop()
    }
  })
})
