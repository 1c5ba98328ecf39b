import { expect, test } from 'vitest'
import { hitReach } from '../../src/style/hit_reach.ts'
import { readMapserverXml } from '../../src/style/mapserver/mapserver_read.ts'
import { styleOfMapserver } from '../../src/style/mapserver/mapserver_style.ts'

const reachOf = (xml: string, family: 'POINT' | 'LINESTRING' | 'POLYGON') => {
  const { style } = readMapserverXml(`<map><layer>${xml}</layer></map>`)
  return style === undefined ? undefined : hitReach(styleOfMapserver(style, family))
}
const cls = (inner: string) => `<class><style>${inner}</style></class>`
const red = '<color red="255" green="0" blue="0"/>'

test('a click hits a marker within half the size of the largest one', () => {
  expect(reachOf(cls(`${red}<size>8</size>`) + cls(`${red}<size>30</size>`), 'POINT')).toBe(15)
})

test('a click hits a line within half its width, and a polygon inside only', () => {
  expect(reachOf(cls(`${red}<width>12</width>`), 'LINESTRING')).toBe(6)
  expect(reachOf(cls(red), 'POLYGON')).toBe(0)
})
