/** The used part of libheif's C interface (libheif/heif.h); pointers are offsets into `HEAPU8`. */
declare module 'libheif-js/wasm-bundle.js' {
  interface LibHeif {
    readonly HEAPU8: Uint8Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    _heif_context_alloc(): number;
    _heif_context_free(context: number): void;
    _heif_context_read_from_memory_without_copy(
      error: number,
      context: number,
      data: number,
      size: number,
      options: number,
    ): void;
    _heif_context_get_number_of_top_level_images(context: number): number;
    _heif_context_get_primary_image_handle(error: number, context: number, handleAt: number): void;
    _heif_image_handle_release(handle: number): void;
    _heif_image_handle_get_width(handle: number): number;
    _heif_image_handle_get_height(handle: number): number;
    _heif_image_handle_has_alpha_channel(handle: number): number;
    _heif_image_handle_is_premultiplied_alpha(handle: number): number;
    _heif_image_handle_get_luma_bits_per_pixel(handle: number): number;
    _heif_image_handle_get_raw_color_profile_size(handle: number): number;
    _heif_image_handle_get_raw_color_profile(error: number, handle: number, to: number): void;
    _heif_image_handle_get_list_of_metadata_block_IDs(
      handle: number,
      filter: number,
      idsAt: number,
      count: number,
    ): number;
    _heif_image_handle_get_metadata_type(handle: number, id: number): number;
    _heif_image_handle_get_metadata_size(handle: number, id: number): number;
    _heif_image_handle_get_metadata(error: number, handle: number, id: number, to: number): void;
    _heif_decode_image(
      error: number,
      handle: number,
      imageAt: number,
      colorspace: number,
      chroma: number,
      options: number,
    ): void;
    _heif_image_get_plane_readonly(image: number, channel: number, strideAt: number): number;
    _heif_image_release(image: number): void;
  }
  const libheif: LibHeif;
  export default libheif;
}
