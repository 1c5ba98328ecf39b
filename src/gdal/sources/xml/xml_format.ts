import { openWithGdal, unreadable } from '../open_with_gdal.ts'
import { referenceSystemOf } from '../reference_system.ts'
import type { SourceFile, SourceLayer } from '../source.ts'
import { defineSource, type FileProbe, type Opening } from '../source_format.ts'
import { findXmlFault, prepareXml } from './xml_text.ts'

/** KML. @see OGC 12-007r2 */
export const kml = defineSource('KML', {
  recognizes: (probe) => isXml(probe) && (hasKml(probe) || (probe.extension === '.kml' && !hasGpx(probe))),
  async open(file, opening) {
    const layers = await openXml(file, opening, ['LIBKML', 'KML'])
    // Every position has a height, usually 0, so that the declared type is meaningless.
    return layers.map((layer) => ({ ...layer, isUntyped: true }))
  },
})

/** GPX. @see https://www.topografix.com/GPX/1/1 */
export const gpx = defineSource('GPX', {
  recognizes: (probe) => isXml(probe) && (hasGpx(probe) || probe.extension === '.gpx'),
  open: (file, opening) => openXml(file, opening, ['GPX']),
})

/** GML, and other XML that GDAL reads as GML. @see OGC 07-036 */
export const gml = defineSource('GML', {
  recognizes: isXml,
  open: (file, opening) => openXml(file, opening, ['GML']),
})

function isXml({ text }: FileProbe): boolean {
  return /^<(\?xml|kml|gml|gpx|[\w:]*FeatureCollection)/i.test(text)
}

const hasKml = ({ text }: FileProbe) => /<kml[\s>]/i.test(text)
const hasGpx = ({ text }: FileProbe) => /<gpx[\s>]/i.test(text)

/** Finds the position of the fault in broken XML, which the drivers do not report. */
async function openXml(
  given: SourceFile,
  { gdal, job }: Opening,
  drivers: readonly string[],
): Promise<SourceLayer[]> {
  const file = await prepareXml(given, job.folder)
  const opened = await tryOpen(openWithGdal(gdal, file, drivers))
  const { layers } = opened
  if (layers?.every(({ layer }) => referenceSystemOf(layer) !== null)) {
    return layers.map((layer) => ({ ...layer, check: { findFault: () => findXmlFault(file.path) } }))
  }
  const fault = await findXmlFault(file.path)
  if (fault !== undefined) throw unreadable(file, fault)
  if (layers === undefined) throw opened.error
  return layers
}

async function tryOpen(
  opening: Promise<SourceLayer[]>,
): Promise<{ layers?: SourceLayer[]; error?: unknown }> {
  try {
    return { layers: await opening }
  } catch (error) {
    return { error }
  }
}
