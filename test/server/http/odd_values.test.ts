import { expect, test } from 'vitest'
import type { OpenApi } from '../../../src/contract/openapi/openapi.ts'
import { type Cls, descriptorOf, isCls } from '../../../src/contract/registry.ts'
import type { Database } from '../../../src/database/database.ts'
import { drivers } from '../../support/drivers.ts'
import { createEachClass } from '../../support/each_class.ts'
import { useForeign } from '../../support/geodb.ts'
import { isSoak } from '../../support/law_runs.ts'
import {
  findErrorCode,
  firstPlaceholder,
  listOddRequests,
  type OddRequest,
} from '../../support/odd_requests.ts'
import { describeServers, type TestServer } from '../../support/server.ts'

/** What would end the test itself: passwords and users, and logins, which are slowed down. */
const left = [/^auth\.(login|user_|group_|profile_)/, /^page\.login/, /^token\./]

/**
 * Of the many requests that differ by their value only, some: every fifth, and all where many values mean something. Each is
 * sent on one database, one in eight on the embedded one, which takes twice as long.
 */
const isChosen = ({ name }: OddRequest, at: number, driver: Database['driver']) => {
  if (isSoak) return true
  if (drivers.length > 1 && (at % 8 === 0) !== (driver === 'pglite')) return false
  return at % 5 === 0 || /^resource\.(batch|search)/.test(name)
}

const openForeign = useForeign()

describeServers('an unusual value in a request', (start, driver) => {
  /** One resource of each class, with fields in the layer. */
  const plant = async (server: TestServer, before?: ReadonlyMap<Cls, number>) => {
    await server.admin('DELETE', `/api/resource/${before?.get('resource_group')}`)
    const made = await createEachClass(server.admin, await openForeign())
    const fields = [
      { keyname: 'name', datatype: 'STRING' },
      { keyname: 'size', datatype: 'INTEGER' },
      { keyname: 'day', datatype: 'DATE' },
    ]
    await server.admin('PUT', `/api/resource/${made.get('vector_layer')}`, { feature_layer: { fields } })
    await server.admin('POST', `/api/resource/${made.get('vector_layer')}/feature/`, {
      fields: { name: 'a' },
    })
    await server.admin('PUT', `/api/resource/${made.get('vector_layer')}`, {
      resmeta: { items: { name: 'a' } },
    })
    return made
  }

  const idFor = (made: ReadonlyMap<Cls, number>, { name, cls }: OddRequest): number => {
    const known = isCls(cls) ? cls : 'vector_layer'
    const [parent = 'resource_group'] = descriptorOf(known).parents
    const wanted = name.startsWith('resource.create') ? parent : known
    return made.get(wanted as Cls) ?? 0
  }

  test('is accepted or refused with a reason, at any position', async () => {
    const server = await start()
    const api = await (await server.guest('GET', '/openapi.json')).json<OpenApi>()
    const words = ['name', 'size', 'day']
    let made = await plant(server)
    const wrong: string[] = []
    let count = 0
    const requests = listOddRequests(api, { excluded: left, names: words })
    for (const request of requests.filter((one, at) => isChosen(one, at, driver))) {
      const id = String(idFor(made, request))
      const path = request.path.replaceAll(String(firstPlaceholder), id)
      const text = request.body === undefined ? undefined : JSON.stringify(request.body)
      const sent = text
        ?.replaceAll(String(firstPlaceholder), id)
        .replace('"display_name":"a"', `"display_name":"n${++count}"`)
      const answer = await server.admin(request.method, path, sent)
      const told = await answer.text()
      if (answer.status < 400) continue
      const code = /^(\{|<!doctype html>|<\?xml )/.test(told) ? findErrorCode(path, told) : ''
      const isAway = code.startsWith('external/') && [502, 503, 504].includes(answer.status)
      if ((answer.status < 500 || answer.status === 501 || isAway) && code !== '') continue
      wrong.push(
        `${request.name}: ${request.method} ${path.slice(0, 200)} ${sent?.slice(0, 300)} → ${answer.status} ${told.slice(0, 200)}`,
      )
      made = await plant(server, made)
    }
    expect(wrong).toEqual([])
    expect((await server.admin('GET', '/readyz')).status).toBe(200)
  }, 600_000)
})
