/** Pixels in rows from the top left, four bytes each: red, green, blue, and opacity from 0 to 255. */
export interface Pixels {
  width: number
  height: number
  rgba: Uint8Array
}

/**
 * The picture in a box, smaller by a whole factor: each pixel is the mean of a square, weighted by opacity. A picture
 * that fits is returned as it is.
 */
export const fitted = (picture: Pixels, mostWidth: number, mostHeight: number): Pixels => {
  const factor = Math.ceil(Math.max(picture.width / mostWidth, picture.height / mostHeight))
  if (factor <= 1) return picture
  const [width, height] = [Math.ceil(picture.width / factor), Math.ceil(picture.height / factor)]
  const rgba = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      putMean(picture, rgba, { x: x * factor, y: y * factor, side: factor }, y * width + x)
  return { width, height, rgba }
}

const putMean = (
  { width, height, rgba }: Pixels,
  into: Uint8Array,
  { x, y, side }: { x: number; y: number; side: number },
  index: number,
): void => {
  let [red, green, blue, opacity, count] = [0, 0, 0, 0, 0]
  for (let row = y; row < Math.min(y + side, height); row += 1)
    for (let column = x; column < Math.min(x + side, width); column += 1) {
      const at = (row * width + column) * 4
      const weight = rgba[at + 3]!
      red += rgba[at]! * weight
      green += rgba[at + 1]! * weight
      blue += rgba[at + 2]! * weight
      opacity += weight
      count += 1
    }
  if (opacity === 0) return
  into.set(
    [Math.round(red / opacity), Math.round(green / opacity), Math.round(blue / opacity), Math.round(opacity / count)],
    index * 4,
  )
}
