import fc from 'fast-check'
import { expect, test } from 'vitest'
import { markPositions } from '../../src/gdal/sources/xml/xml_text.ts'

const xml = [
  '<kml><Point><coordinates>1,2</coordinates></Point><name>x, 1</name>',
  '<LineString><coordinates>\n 1,2,3 \n 4 , 5 x,6 </coordinates></LineString>',
  '<gml:pos srsName="a">1 2</gml:pos><gml:posList>1 2 x</gml:posList><gml:pos/>',
  '<gml:coordinates decimal="," cs=";" ts=" ">1,5;2,5</gml:coordinates>',
  '<wpt lat="1" lon=\'2\'/><trkpt lon="east" lat="1">a < b',
].join('\n')

test('marked positions do not depend on how the text is split', () => {
  const { done, rest } = markPositions(xml)
  const whole = done + rest
  expect(whole).toContain('1,2,3 4,5 1e999,1e999')
  expect(whole).toContain('1 2 1e999')
  expect(whole).toContain('>1,5;2,5<')
  expect(whole).toContain('lon="1e999" lat="1"')
  fc.assert(
    fc.property(fc.array(fc.nat(xml.length)), (cuts) => {
      const ends = [...cuts, xml.length].sort((a, b) => a - b)
      let from = 0
      let left = ''
      let marked = ''
      for (const to of ends) {
        const chunk = markPositions(left + xml.slice(from, to))
        marked += chunk.done
        left = chunk.rest
        from = to
      }
      expect(marked + left).toBe(whole)
    }),
    { seed: 20_261_123, numRuns: process.env.LANDFORM_SOAK ? 10_000 : 100 },
  )
})
