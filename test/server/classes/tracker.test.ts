import { expect, test } from 'vitest'
import { type Ask, describeServers } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

interface TrackerBody {
  readonly resource: { readonly cls: string; readonly children: boolean }
  readonly tracker: Record<string, unknown>
}

const read = async (ask: Ask, id: number, headers: Record<string, string> = {}) =>
  (await ask('GET', `/api/resource/${id}`, undefined, headers)).json<TrackerBody>()

const createTracker = (ask: Ask, parent: number, tracker: { unique_id: string } & Record<string, unknown>) =>
  createResource(ask, {
    cls: 'tracker',
    parent,
    name: tracker.unique_id,
    members: { tracker: { device_type: 'svc_mobile', ...tracker } },
  })

const createGroup = (ask: Ask, name: string) => createResource(ask, { cls: 'trackers_group', name })

describeServers('trackers', (start) => {
  test('a tracker is read back with its defaults, and an update keeps absent fields', async () => {
    const { admin } = await start()
    const group = await createGroup(admin, 'Read')
    const id = await createTracker(admin, group, { unique_id: 'read-1', consumption_lpkm: 8.25 })
    const whole = {
      unique_id: 'read-1',
      description: null,
      device_type: 'svc_mobile',
      consumption_lpkm: 8.25,
      is_registered: null,
    }
    expect((await read(admin, id)).tracker).toEqual(whole)
    const change = { description: 'the blue van', is_registered: 'yes' }
    expect((await admin('PUT', `/api/resource/${id}`, { tracker: change })).status).toBe(200)
    expect((await read(admin, id)).tracker).toEqual({ ...whole, ...change })
    expect((await read(admin, group)).resource.children).toBe(true)
  })

  test('the device type is accepted and returned in both dialects', async () => {
    const { admin } = await start()
    const group = await createGroup(admin, 'Words')
    const id = await createTracker(admin, group, { unique_id: 'words-1', device_type: 'ng_mobile' })
    expect((await read(admin, id)).tracker.device_type).toBe('svc_mobile')
    expect((await read(admin, id, { 'x-api-dialect': 'ngw' })).tracker.device_type).toBe('ng_mobile')
  })

  test('a device belongs to only one tracker', async () => {
    const { admin } = await start()
    const group = await createGroup(admin, 'Unique')
    await createTracker(admin, group, { unique_id: 'unique-1' })
    await expect(
      createTracker(admin, await createGroup(admin, 'Elsewhere'), { unique_id: 'unique-1' }),
    ).rejects.toThrow('422 another tracker has the device "unique-1" - at $.tracker.unique_id')
    const other = await createTracker(admin, group, { unique_id: 'unique-2' })
    const taken = await admin('PUT', `/api/resource/${other}`, { tracker: { unique_id: 'unique-1' } })
    expect(taken.status).toBe(422)
    const same = await admin('PUT', `/api/resource/${other}`, { tracker: { unique_id: 'unique-2' } })
    expect(same.status).toBe(200)
  })

  test('two trackers created concurrently cannot have the same device', async () => {
    const { admin } = await start()
    const group = await createGroup(admin, 'At once')
    const create = (name: string) => ({
      op: 'create',
      body: {
        resource: { cls: 'tracker', parent: { id: group }, display_name: name },
        tracker: { unique_id: 'once', device_type: 'svc_mobile' },
      },
    })
    const answer = await admin('POST', '/api/component/landform/batch', {
      operations: [create('a'), create('b')],
    })
    expect([answer.status, await answer.json()]).toEqual([
      422,
      expect.objectContaining({ data: { location: ['body', '/tracker/unique_id'], operation: 1 } }),
    ])
  })

  test.each([
    ['no device', { device_type: 'svc_mobile' }, 'missing field "unique_id" - at $.tracker'],
    ['no kind of device', { unique_id: 'x' }, 'missing field "device_type" - at $.tracker'],
    [
      'an unknown kind of device',
      { unique_id: 'x', device_type: 'pigeon' },
      'expected one of "svc_mobile", got "pigeon" - at $.tracker.device_type',
    ],
    [
      'fuel that flows back',
      { unique_id: 'x', device_type: 'svc_mobile', consumption_lpkm: -1 },
      '-1 is less than 0 - at $.tracker.consumption_lpkm',
    ],
  ])('%s is refused with the location', async (name, tracker, message) => {
    const { admin } = await start()
    const parent = await createGroup(admin, name)
    await expect(
      createResource(admin, { cls: 'tracker', parent, name, members: { tracker } }),
    ).rejects.toThrow(`422 ${message}`)
  })

  test('a tracker can only be a child of a trackers group, which accepts no other classes', async () => {
    const { admin } = await start()
    await expect(createTracker(admin, 0, { unique_id: 'astray' })).rejects.toThrow(
      '422 A tracker cannot be a child of resource id = 0.',
    )
    const parent = await createGroup(admin, 'Only trackers')
    await expect(createResource(admin, { cls: 'resource_group', parent, name: 'G' })).rejects.toThrow('422')
  })
})
