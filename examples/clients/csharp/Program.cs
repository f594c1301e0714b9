using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading;
using Burnish.Api;
using Burnish.Client;
using Burnish.Model;
using Newtonsoft.Json;
using static Burnish.Model.CreateSignedUpload;
using static Burnish.Model.EnhancementOrder;
using static Burnish.Model.EnhancementStatus;

class Program
{
    static void Main()
    {
        var config = new Configuration { BasePath = Environment.GetEnvironmentVariable("BURNISH") };
        config.ApiKey["x-api-key"] = Environment.GetEnvironmentVariable("KEY");
        // Generated enumerations have no null, so that a field with null is left out.
        var client = new ApiClient(config.BasePath);
        client.SerializerSettings.NullValueHandling = NullValueHandling.Ignore;
        var uploads = new UploadsApi(client, client, config);
        var photo = File.ReadAllBytes("photo.jpg");
        // The generated class sends false for a boolean that is not set.
        var order = new EnhancementOrder(upscalingFactor: UpscalingFactorEnum.X2, keepMetadata: true);
        var signed = uploads.CreateSignedUpload(new CreateSignedUpload(
            "photo.jpg", new List<EnhancementOrder> { order },
            filesize: photo.Length, mimetype: MimetypeEnum.ImageJpeg));
        var body = new ByteArrayContent(photo);
        body.Headers.ContentType = new MediaTypeHeaderValue("image/jpeg");
        using (var http = new HttpClient())
            http.PutAsync(signed.UploadUrl, body).Result.EnsureSuccessStatusCode();
        uploads.CompleteSignedUpload(signed.Id);
        var result = uploads.GetUpload(signed.Id).Enhancements[0];
        while (result.Status == QUEUED || result.Status == PROCESSING)
        {
            Thread.Sleep(500);
            result = uploads.GetUpload(signed.Id).Enhancements[0];
        }
        Console.WriteLine(result.FullUrl);
    }
}
