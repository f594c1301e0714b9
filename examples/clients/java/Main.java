import burnish.ApiClient;
import burnish.api.UploadsApi;
import burnish.model.CreateSignedUpload;
import burnish.model.CreateSignedUpload.MimetypeEnum;
import burnish.model.EnhancementOrder;
import burnish.model.EnhancementStatus;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;

public class Main {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("BURNISH"));
    client.setRequestInterceptor(request -> request.header("x-api-key", System.getenv("KEY")));
    UploadsApi uploads = new UploadsApi(client);
    byte[] photo = Files.readAllBytes(Path.of("photo.jpg"));
    var order = new EnhancementOrder().upscalingFactor(EnhancementOrder.UpscalingFactorEnum.X2);
    var signed = uploads.createSignedUpload(
        new CreateSignedUpload().filename("photo.jpg").mimetype(MimetypeEnum.IMAGE_JPEG)
            .filesize(photo.length).addEnhancementsItem(order),
        null);
    var put = HttpRequest.newBuilder(signed.getUploadUrl()).header("Content-Type", "image/jpeg");
    HttpClient.newHttpClient().send(put.PUT(HttpRequest.BodyPublishers.ofByteArray(photo)).build(), BodyHandlers.discarding());
    uploads.completeSignedUpload(signed.getId(), null);
    var result = uploads.getUpload(signed.getId()).getEnhancements().get(0);
    while (result.getStatus() == EnhancementStatus.QUEUED || result.getStatus() == EnhancementStatus.PROCESSING) {
      Thread.sleep(500);
      result = uploads.getUpload(signed.getId()).getEnhancements().get(0);
    }
    System.out.println(result.getFullUrl());
  }
}
