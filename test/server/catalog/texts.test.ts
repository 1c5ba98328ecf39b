import { beforeAll, expect, it } from 'vitest'
import { changeCatalog, iconImage, newGeoservice } from '../../support/catalog.ts'
import { describeServers, type TestServer } from '../../support/server.ts'

const composed = 'Stra\u00dfen und Gr\u00fcn'
const decomposed = composed.normalize('NFD')

describeServers('texts of the catalog', (start) => {
  let server: TestServer
  beforeAll(async () => {
    server = await start()
    await changeCatalog(server, [
      newGeoservice(decomposed, { desc: 'B\u0061\u0308ume' }),
      { op: 'create', kind: 'icon', body: { name: 'Gru\u0308n', image: iconImage() } },
    ])
  })
  const find = async (list: string, search: string) => {
    const answer = await server.guest('GET', `/api/v1/${list}/?search=${encodeURIComponent(search)}`)
    return (await answer.json<{ name: string }[]>()).map(({ name }) => name)
  }

  it('are composed, and found by composed and decomposed words', async () => {
    for (const word of [composed, decomposed, 'gr\u00fcn', 'gru\u0308n', 'b\u00e4ume', 'ba\u0308ume'])
      expect(await find('geoservices', word)).toEqual([composed])
    for (const word of ['gr\u00fcn', 'gru\u0308n']) expect(await find('icons', word)).toEqual(['Gr\u00fcn'])
  })

  it.each([' A', 'A ', '\u00a0A', 'A\n'])(
    'refuse blanks around the name %j, with its position',
    async (name) => {
      const operations = [newGeoservice('B'), newGeoservice(name)]
      const answer = await server.admin('POST', '/api/component/catalog/', { operations })
      expect([answer.status, await answer.json()]).toEqual([
        422,
        expect.objectContaining({ data: expect.objectContaining({ operation: 1 }) }),
      ])
    },
  )
})
