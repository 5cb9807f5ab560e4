/** Version of the API. Fields are only added, which raises the second number (`contract.md` 19 #6). */
export const apiVersion = '1.2.0'
