/**
 * What turns a text around, or cannot be seen: all that Unicode lets a reader leave out (marks without a width, letters without a shape,
 * tags, selectors of variants), controls of direction, C1. Joiners and the selector of coloured emoji stay: people write with them.
 */
export const unseen =
  /[[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\x7f-\x9f\u2028\u2029\u2800\ufff9-\ufffb]--[\u200c\u200d\ufe0f]]/gv
