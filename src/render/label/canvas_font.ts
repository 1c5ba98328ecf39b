import { GlobalFonts, type SKRSContext2D } from '@napi-rs/canvas'
import { basicFamilyOf, basicFontFamily, type FontFamily, scriptFamilies } from './label_fonts.ts'
import type { LabelFace } from './placed_label.ts'

/**
 * Colour in which letters are drawn, of which only the alpha is used. Skia makes dark letters thinner and light ones bolder, by a
 * quarter in small sizes; in this grey, a pixel is covered as far as the letter covers it, as in QGIS.
 */
export const inkColor = '#707070'

/** Sets the font of a context to one that has the letters of a text. */
export function setFont(
  context: SKRSContext2D,
  { family, size, weight, isItalic }: Omit<LabelFace, 'letterSpacing'>,
  text: string,
): void {
  const scripts = scriptFamilies(text)
  const families = [...scripts, basicFontFamily(basicFamilyOf(family))]
  for (const one of families) registerFamily(one)
  const names = families.map(({ name }) => `"${name}"`).join()
  context.font = `${isItalic ? 'italic ' : ''}${weight} ${size}px ${names}`
  // A font with all weights in one file is drawn in its default one otherwise, which is the thinnest in some files.
  context.fontVariationSettings = scripts.length > 0 ? `'wght' ${weight}` : 'normal'
}

const registered = new Set<string>()

/** Registers the files of a family, once in the process: threads share the fonts. */
function registerFamily({ name, files }: FontFamily): void {
  if (registered.has(name)) return
  registered.add(name)
  if (GlobalFonts.has(name)) return
  for (const file of files) GlobalFonts.registerFromPath(file, name)
}
