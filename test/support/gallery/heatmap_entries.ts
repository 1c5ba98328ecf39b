import { qml } from '../qml.ts'
import { type GalleryEntry, version } from './gallery_entry.ts'

/** Writes a heatmap. */
export function heatmap(attributes: string, ramp: Readonly<Record<string, string>>): string {
  const options = Object.entries(ramp).map(
    ([name, value]) => `<Option name="${name}" type="QString" value="${value}"/>`,
  )
  return qml(
    `type="heatmapRenderer" quality="1" ${attributes}`,
    `<colorramp name="[source]" type="gradient"><Option type="Map">${options.join('')}</Option></colorramp>`,
    { attributes: version },
  )
}

const reds = { color1: '255,255,255,0', color2: '200,0,0,255', stops: '0.4;250,200,80,160', discrete: '0' }

/** Styles that draw the density of points. */
export const heatmapEntries: readonly GalleryEntry[] = [
  {
    ...{ name: 'heatmap', group: 'renderers', family: 'POINT' },
    qml: heatmap('radius="10" radius_unit="0" max_value="0" weight_expression=""', reds),
  },
  {
    ...{ name: 'heatmap_weighted', group: 'renderers', family: 'POINT' },
    qml: heatmap(
      'radius="24" radius_unit="2" max_value="90" weight_expression="&quot;value&quot; + 1"',
      reds,
    ),
  },
  {
    ...{ name: 'heatmap_discrete', group: 'renderers', family: 'POINT' },
    qml: heatmap('radius="20000" radius_unit="1" max_value="0" weight_expression="value"', {
      ...{ color1: '240,240,255,255', color2: '80,20,120,255', discrete: '1' },
      stops: '0.2;160,190,240,255:0.6;90,90,220,255',
    }),
  },
]
