import { beforeAll, expect, test } from 'vitest'
import { plainDescription } from '../../../src/server/resource/description.ts'
import { publishMaps, type TestMaps } from '../../support/map_service.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { allow } from '../../support/tree.ts'
import { principalId } from '../../support/users.ts'
import { letGuests, type PublishedTowns, publishTowns } from '../../support/wfs.ts'

test.each([
  ['A plain text\nof two lines', 'A plain text\nof two lines'],
  ['<p>Roads &amp; <b>rails</b>,</p><ul><li>one<li>two</ul><br>a &lt; b', 'Roads & rails,\nonetwo\na < b'],
  ['<h1>Title</h1><div> a   b </div>', 'Title\na b'],
  ['<script>alert(1)</script><style>p {}</style>', ''],
  ['3 < 4 &quot;x&quot; &nbsp; é', '3 < 4 "x" é'],
])('the text of the description %j', (html, text) => {
  expect(plainDescription(html)).toBe(text)
})

describeServer('descriptions of services and their layers', (start) => {
  let server: TestServer
  let maps: TestMaps
  let towns: PublishedTowns
  beforeAll(async () => {
    server = await start()
    maps = await publishMaps(server)
    towns = await publishTowns(server.admin, 'Towns')
    await letGuests(server.admin, towns)
  })
  const describe = async (id: number, description: string) => {
    const answer = await server.admin('PUT', `/api/resource/${id}`, { resource: { description } })
    expect(answer.status).toBe(200)
  }
  const letRead = async (id: number) => {
    const { resource } = await (await server.admin('GET', `/api/resource/${id}`)).json<{
      resource: { permissions: object[] }
    }>()
    const rule = allow(await principalId(server.database, 'guest'), 'metadata', 'read')
    const permissions = [...resource.permissions, rule]
    const answer = await server.admin('PUT', `/api/resource/${id}`, { resource: { permissions } })
    expect(answer.status).toBe(200)
  }
  const abstracts = async (path: string, ask = server.guest) => {
    const xml = await (await ask('GET', path)).text()
    expect(xml).toContain('Title>')
    return [...xml.matchAll(/Abstract>([^<]+)</g)].map(([, text]) => text)
  }

  test('maps have the description of the service, of the style, else of its layer', async () => {
    await describe(maps.service, '<p>All maps</p>')
    await describe(maps.squareStyle, 'Green <b>squares</b> &amp; more')
    await describe(maps.townLayer, 'Towns')
    const paths = [
      'wms?service=WMS&request=GetCapabilities&version=1.1.1',
      'wms?service=WMS&request=GetCapabilities&version=1.3.0',
      'wmts/1.0.0/WMTSCapabilities.xml',
    ].map((path) => `${maps.path}/${path}`)
    const all = ['All maps', 'Green squares &amp; more', 'Towns']
    for (const path of paths) {
      expect(await abstracts(path, server.admin)).toEqual(all)
      // Guests may not read the metadata.
      expect(await abstracts(path)).toEqual([])
    }
    await letRead(maps.squareStyle)
    for (const path of paths) expect(await abstracts(path)).toEqual(all.slice(1, 2))
  })

  test('feature types and collections have the descriptions of their layers', async () => {
    await describe(towns.service, 'All features')
    await describe(towns.layer, 'Towns &amp; villages')
    const paths = ['1.0.0', '1.1.0', '2.0.0'].map(
      (version) => `${towns.path}?service=WFS&request=GetCapabilities&version=${version}`,
    )
    const read = async (path: string, ask = server.guest) => {
      const answer = await ask('GET', `/api/resource/${towns.service}/ogcapi${path}`)
      return (await answer.json<{ description?: string }>()).description
    }
    for (const path of paths) {
      expect(await abstracts(path, server.admin)).toEqual(['All features', 'Towns &amp; villages'])
      expect(await abstracts(path)).toEqual([])
    }
    expect(await read('', server.admin)).toBe('All features')
    expect(await read('/collections/towns', server.admin)).toBe('Towns & villages')
    expect(await read('/collections/towns')).toBeUndefined()
    await letRead(towns.layer)
    for (const path of paths) expect(await abstracts(path)).toEqual(['Towns &amp; villages'])
    expect(await read('')).toBeUndefined()
    expect(await read('/collections/towns')).toBe('Towns & villages')
  })
})
