import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oneDriver } from '../support/drivers.ts'
import { type HttpFilter, useHttpFilter } from '../support/http_filter.ts'
import { createServerEnvironment, type KillableServer, type ServerEnvironment } from '../support/killable.ts'
import {
  check,
  configure,
  create,
  type Engine,
  invoke,
  read,
  remove,
  startConfigured,
  update,
  urnOf,
} from '../support/pulumi_engine.ts'
import { treesOf } from '../support/pulumi_trees.ts'
import { adminPassword } from '../support/server.ts'

const useFilter = useHttpFilter()
const settings = { allow_delete: '["trees"]' }
const urn = urnOf('VectorLayer', 'trees')

describe.each(oneDriver)('the Pulumi provider on %s', (driver) => {
  let environment: ServerEnvironment
  let server: KillableServer
  let filter: HttpFilter
  let engine: Engine

  beforeAll(async () => {
    environment = await createServerEnvironment(driver)
    server = await environment.start()
    filter = await useFilter(server.url)
    engine = await startConfigured(filter.url, settings)
  })
  afterAll(async () => {
    await engine.stop()
    await environment.remove()
  })

  /** Interrupts the next request that writes a resource, when the server has done it and the provider does not know yet. */
  function interruptNext(interrupt: () => Promise<void>): void {
    filter.beforeResponse = async (method, path) => {
      if (method === 'GET' || !/\/(?:batch|resource\/\d+)\b/.test(path)) return undefined
      filter.beforeResponse = async () => undefined
      await interrupt()
      return 'cut'
    }
  }

  /** Kills the provider in the middle of work, and starts that of the next update. */
  async function killDuring(work: () => Promise<unknown>): Promise<void> {
    const killed = new Promise<void>((resolve) => interruptNext(() => engine.kill().then(resolve)))
    await expect(work()).rejects.toThrow()
    await killed
    engine = await startConfigured(filter.url, settings)
  }

  const countNamed = async (keyname: string) =>
    (await (await server.admin('GET', `/api/resource/search/?keyname=${keyname}`)).json<unknown[]>()).length

  const features = async () => (await invoke(engine, 'landform:index:getLayer', { name: 'trees' })).features

  test('a provider that is killed loses and repeats nothing, whatever it was doing', async () => {
    const { inputs } = await check(engine, urn, treesOf([1, 2]))
    await killDuring(() => create(engine, urn, inputs))
    // The engine knows nothing of the resource, and creates it.
    await check(engine, urn, treesOf([1, 2]))
    const { id } = await create(engine, urn, inputs)
    expect([await countNamed('trees'), await features()]).toEqual([1, 2])

    const { inputs: next } = await check(engine, urn, treesOf([1, 2, 3]))
    await killDuring(() => update(engine, urn, { id, olds: inputs, news: next }))
    expect(await features()).toBe(3)
    await update(engine, urn, { id, olds: inputs, news: next })
    expect([await countNamed('trees'), await features()]).toEqual([1, 3])
    expect((await read(engine, urn, { id, inputs: next })).inputs).toEqual(next)

    await killDuring(() => remove(engine, urn, id))
    await remove(engine, urn, id)
    expect(await countNamed('trees')).toBe(0)
  })

  test('a provider whose engine was killed ends, in the middle of a request as well', async () => {
    expect(await engine.leave()).toBe(0)
    engine = await startConfigured(filter.url, settings)
    const { inputs } = await check(engine, urn, treesOf([1, 2]))
    const left = new Promise<number | null>((resolve) => interruptNext(() => engine.leave().then(resolve)))
    await expect(create(engine, urn, inputs)).rejects.toThrow()
    expect(await left).toBe(0)

    engine = await startConfigured(filter.url, settings)
    await check(engine, urn, treesOf([1, 2]))
    const { id } = await create(engine, urn, inputs)
    expect([await countNamed('trees'), await features()]).toEqual([1, 2])
    await configure(engine, { server: filter.url, password: adminPassword, ...settings })
    await remove(engine, urn, id)
  })

  test('a server that is killed and started again has done the update once', async () => {
    const group = urnOf('ResourceGroup', 'town')
    const { inputs } = await check(engine, group, {})
    const { id: parent } = await create(engine, group, inputs)
    const { inputs: layer } = await check(engine, urn, { ...treesOf([1, 2]), parent: 'town' })
    interruptNext(async () => {
      await server.kill()
      server = await environment.start()
      filter.target = server.url
    })
    // The provider repeats the request, and so does the engine of the next update.
    const { id } = await create(engine, urn, layer)
    await engine.stop()
    engine = await startConfigured(filter.url, settings)
    expect((await create(engine, urn, layer)).id).toBe(id)
    expect([await countNamed('trees'), await countNamed('town'), await features()]).toEqual([1, 1, 2])
    expect((await read(engine, urn, { id, inputs: layer })).inputs).toEqual(layer)
    // In an update of its own: in the same one, it would be a replacement.
    await configure(engine, { server: filter.url, password: adminPassword, ...settings })
    await remove(engine, urn, id)
    await remove(engine, group, parent)
    expect(await countNamed('town')).toBe(0)
  })
})
