import type { DrawnImage } from '../image/draw_job.ts'
import { putSurface, shrinkToFit } from '../raster/crop.ts'
import { encodePng } from '../raster/png.ts'
import { createSurface, type Surface } from '../raster/surface.ts'
import { drawLegendImage } from './legend_image.ts'
import type { LegendIcon, LegendItem, LegendJob } from './legend_job.ts'
import { type LegendSamples, prepareSamples, type SampleTools } from './legend_samples.ts'

/** Draws a legend: its picture as PNG, or a list of `LegendIcon` as JSON. */
export async function drawLegend(job: LegendJob, tools: SampleTools): Promise<DrawnImage> {
  const samples = await prepareSamples(job, tools)
  const checked: LegendSamples = {
    draw(item, patch) {
      tools.check()
      return samples.draw(item, patch)
    },
  }
  if (job.legend.kind === 'image') {
    const { surface, isEmpty } = drawLegendImage(job, checked)
    return { bytes: encodePng(surface), isEmpty }
  }
  const { iconSize, scale = 1 } = job.legend
  const side = Math.round(iconSize * scale)
  const icons = job.items.flatMap((item): LegendIcon[] => {
    const icon = 'picture' in item ? checked.draw(item) : drawIcon(item, side, checked)
    return icon === undefined ? [] : [{ index: item.index, data: encodePng(icon).toString('base64') }]
  })
  return { bytes: new TextEncoder().encode(JSON.stringify(icons)), isEmpty: icons.length === 0 }
}

/** Draws a symbol in its size in the middle of an icon. Markers that are too large are scaled down. */
function drawIcon(item: LegendItem, size: number, samples: LegendSamples): Surface | undefined {
  const whole = samples.draw(item, [size, size])
  if (whole === undefined) return undefined
  // Lines and areas are as long as leaves room for their outline.
  const room = [whole.width, whole.height].map((side) => Math.max(2, size - Math.max(0, side - size)))
  const isTooLarge = Math.max(whole.width, whole.height) > size
  const fitted = isTooLarge ? samples.draw(item, [room[0] ?? size, room[1] ?? size]) : whole
  const drawn = shrinkToFit(fitted ?? whole, size)
  const icon = createSurface(size, size)
  putSurface(icon, drawn, [(size - drawn.width) >> 1, (size - drawn.height) >> 1])
  return icon
}
