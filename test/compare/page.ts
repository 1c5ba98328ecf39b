import { escapeXml } from '../../src/style/xml/xml_escape.ts'
import { maxDifference } from '../support/gallery/image_difference.ts'
import type { ComparedPlate } from './plates.ts'

/** Plates that one program has drawn. */
export interface GalleryPart {
  /** Name and version of the program. */
  readonly program: string
  readonly plates: readonly ComparedPlate[]
}

/** Prints the page with all images side by side, those that differ most first. */
export function printPage(parts: readonly GalleryPart[]): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Comparison of images</title>
<style>body{font:14px sans-serif;margin:2em}figure{display:inline-block;margin:0 1em 1em 0}img{border:1px solid #ccc;
image-rendering:pixelated;min-width:256px}h3{margin:1.5em 0 .3em}.issue{color:#a33}td,th{text-align:left;padding-right:1em}</style>
<h1>Comparison of images</h1>
<p>Off: part of the drawn pixels that differ by more than ${maxDifference} of 255 from all pixels around, drawn in red.
Mean: mean difference of drawn pixels, of 255.</p>
${parts.map(printPart).join('\n')}</html>
`
}

function printPart({ program, plates }: GalleryPart): string {
  const sorted = plates.toSorted((a, b) => b.difference.share - a.difference.share)
  return `<h2>${escapeXml(program)}</h2>${printGroups(plates)}${sorted.map((plate) => printPlate(plate, program)).join('')}`
}

/** Prints a table of groups. */
function printGroups(plates: readonly ComparedPlate[]): string {
  const rows = summarize(plates).map(
    ({ group, count, share, worst }) =>
      `<tr><td>${group}<td>${count}<td>${percent(share)}<td>${percent(worst)}`,
  )
  return `<table><tr><th>Group<th>Images<th>Off, median<th>Off, most${rows.join('')}</table>`
}

/** Difference of a group of plates. */
export interface GroupSummary {
  readonly group: string
  readonly count: number
  /** Median and maximum of the parts of pixels that are off. */
  readonly share: number
  readonly worst: number
}

/** Summarizes the differences by group. */
export function summarize(plates: readonly ComparedPlate[]): GroupSummary[] {
  const groups = Map.groupBy(plates, ({ group }) => group)
  return [...groups].map(([group, members]) => {
    const shares = members.map(({ difference }) => difference.share).sort((a, b) => a - b)
    return {
      ...{ group, count: members.length },
      ...{ share: shares[Math.floor(shares.length / 2)] ?? 0, worst: shares.at(-1) ?? 0 },
    }
  })
}

/** Formats a part as percentage. */
export const percent = (part: number) => `${(100 * part).toFixed(2)} %`

function printPlate({ name, data, difference, images, issues }: ComparedPlate, program: string): string {
  const figure = (source: string, caption: string) =>
    `<figure><img src="${source}" alt=""><figcaption>${escapeXml(caption)}</figcaption></figure>`
  return `<h3 id="${name}.${data.name}">${name}, ${data.name}</h3>
<p>Off ${percent(difference.share)}, mean ${difference.mean.toFixed(2)}.
${issues.map(({ message }) => `<span class="issue">${escapeXml(message)}</span>`).join('; ')}</p>
${figure(images.theirs, program)}${figure(images.ours, 'landform')}${figure(images.difference, 'Difference')}`
}
