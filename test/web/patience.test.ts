import { expect, test } from 'vitest'
import { webmapPage } from '../../src/server/map/webmap_page.ts'
import { patienceOf } from '../../src/web/patience.ts'

test('a map waits longer than the server reads layers and draws an image', () => {
  const bundle = { script: '/page.js', stylesheet: '/page.css' }
  const waitFor = (renderTimeoutSeconds: number) => {
    const page = { id: 1, title: 'Map', bundle, base: '', tiny: false, renderTimeoutSeconds }
    const [, renderTimeout] = /<body[^>]* data-render-timeout="([^"]+)"/.exec(webmapPage(page)) ?? []
    return patienceOf({ renderTimeout })
  }
  expect([0.5, 30, 600].map(waitFor)).toEqual([61_000, 120_000, 1_260_000])
  expect(patienceOf({})).toBe(60_000)
})
