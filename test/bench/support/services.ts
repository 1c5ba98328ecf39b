/** Serves geoservices on all local addresses, in a process of its own, until its parent disconnects. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  neverAnswer,
  pngStart,
  sendBody,
  sendBomb,
  sendEndless,
  sendHuge,
} from '../../support/misbehaving.ts'

const layers = Array.from({ length: 500 }, (_, at) => `layer_${at}`)
const wms = `<WMS_Capabilities>${layers.map((name) => `<Layer><Name>${name}</Name><Title>A layer</Title></Layer>`).join('')}</WMS_Capabilities>`
const wfs = `<WFS_Capabilities>${layers.map((name) => `<FeatureType><Name>${name}</Name></FeatureType>`).join('')}</WFS_Capabilities>`
const features = Array.from({ length: 2000 }, (_, at) => ({
  type: 'Feature',
  properties: { name: `Feature ${at}` },
  geometry: { type: 'Point', coordinates: [at / 100, at / 100] },
}))

/** Responses by the first part of the path. */
const answers: Readonly<Record<string, RequestListener>> = {
  tms: sendBody('image/png', Buffer.concat([pngStart, Buffer.alloc(20_000)])),
  wms: sendBody('text/xml', wms),
  wfs: sendBody('text/xml', wfs),
  geojson: sendBody('application/geo+json', JSON.stringify({ type: 'FeatureCollection', features })),
  silent: neverAnswer,
  huge: sendHuge('text/xml'),
  endless: sendEndless('text/xml'),
  bomb: sendBomb('text/xml', 'gzip'),
}

/** Time that a service takes to respond. */
const latencyMs = 100

if (process.send !== undefined) {
  const server = createServer((request, response) => {
    const answer = answers[request.url?.split('/')[1] ?? ''] ?? neverAnswer
    setTimeout(() => answer(request, response), latencyMs)
  })
  server.listen(0, '0.0.0.0', () => process.send?.((server.address() as AddressInfo).port))
  process.on('disconnect', () => process.exit())
}
