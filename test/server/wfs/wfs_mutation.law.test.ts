import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { describeServers, type TestServer } from '../../support/server.ts'
import { publishTowns } from '../../support/wfs.ts'

const numRuns = process.env.LANDFORM_SOAK ? 20_000 : 150
const seed = 20_261_124

const requests = [
  '<wfs:GetFeature service="WFS" version="2.0.0" count="2" startIndex="1" xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:fes="http://www.opengis.net/fes/2.0" xmlns:gml="http://www.opengis.net/gml/3.2"><wfs:Query typeNames="towns" srsName="EPSG:4326"><wfs:PropertyName>name</wfs:PropertyName><fes:Filter><fes:And><fes:PropertyIsLike wildCard="*" singleChar="?" escapeChar="!"><fes:ValueReference>name</fes:ValueReference><fes:Literal>O*</fes:Literal></fes:PropertyIsLike><fes:DWithin><fes:ValueReference>geom</fes:ValueReference><gml:Polygon srsName="urn:ogc:def:crs:EPSG::4326"><gml:exterior><gml:LinearRing><gml:posList>48 16 48 17 49 17 48 16</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon><fes:Distance uom="km">9</fes:Distance></fes:DWithin></fes:And></fes:Filter><fes:SortBy><fes:SortProperty><fes:ValueReference>people</fes:ValueReference><fes:SortOrder>DESC</fes:SortOrder></fes:SortProperty></fes:SortBy></wfs:Query></wfs:GetFeature>',
  '<Transaction service="WFS" version="1.1.0" xmlns:gml="http://www.opengis.net/gml"><Insert srsName="EPSG:4326"><towns><name>a</name><people>5</people><since>2020-01-31</since><geom><gml:Point><gml:coordinates>1,2</gml:coordinates></gml:Point></geom></towns></Insert><Update typeName="towns"><Property><Name>height</Name><Value>1.5</Value></Property><Filter><FeatureId fid="towns.1"/></Filter></Update><Delete typeName="towns"><Filter><PropertyIsBetween><PropertyName>area</PropertyName><LowerBoundary><Literal>1</Literal></LowerBoundary><UpperBoundary><Literal>2</Literal></UpperBoundary></PropertyIsBetween></Filter></Delete></Transaction>',
]

/** Names, attributes and values of the requests, and odd ones. */
const tokens = [
  ...new Set(requests.flatMap((text) => text.match(/[\w:]+|[<>="/]/g) ?? [])),
  ...[
    '',
    '-1',
    '1e999',
    'NaN',
    '\u0000',
    '\ud800',
    '&#0;',
    '<![CDATA[',
    '-->',
    "'",
    '%',
    'constructor',
    '__proto__',
    '9'.repeat(30),
  ],
]

const mutation = fc.record({
  request: fc.constantFrom(...requests),
  edits: fc.array(fc.record({ at: fc.nat(), token: fc.constantFrom(...tokens), isWord: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  }),
})

/** Replaces parts of a request by others. */
function mutate({
  request,
  edits,
}: {
  request: string
  edits: readonly { at: number; token: string; isWord: boolean }[]
}): string {
  return edits.reduce((text, { at, token, isWord }) => {
    const places = [...text.matchAll(isWord ? /[\w:]+/g : /<[^>]*>/g)]
    const place = places[at % Math.max(1, places.length)]
    return place === undefined
      ? text
      : text.slice(0, place.index) + token + text.slice(place.index + place[0].length)
  }, request)
}

describeServers('a mutated WFS request', (start) => {
  let server: TestServer
  let path = ''
  beforeAll(async () => {
    server = await start()
    path = (await publishTowns(server.admin, 'Towns')).path
  })

  test('is answered or refused with an exception, and never causes an internal error', async () => {
    await fc.assert(
      fc.asyncProperty(mutation, async (mutated) => {
        const body = mutate(mutated)
        const answer = await server.admin('POST', path, body)
        const text = await answer.text()
        expect(text, body).toMatch(
          /^<\?xml [^>]*>\s*<[^>]*(FeatureCollection|TransactionResponse|ExceptionReport)/,
        )
        expect([200, 400, 403, 501], `${body} → ${text}`).toContain(answer.status)
      }),
      { numRuns, seed },
    )
  }, 600_000)
})
